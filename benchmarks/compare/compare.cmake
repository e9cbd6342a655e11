# taut-compare: the same step by other solvers. Eigen makes its matrices and references; CHOLMOD and AMGCL (headers in the
# folder TAUT_AMGCL) are compared with where they are found.
set(TAUT_AMGCL "" CACHE PATH "Folder with AMGCL's headers (amgcl/amg.hpp in it), for taut-compare; empty: without AMGCL")
if(TAUT_EIGEN)
  add_library(Eigen3::Eigen INTERFACE IMPORTED)
  target_include_directories(Eigen3::Eigen INTERFACE ${TAUT_EIGEN})
else()
  find_package(Eigen3 QUIET)
endif()
if(NOT TARGET Eigen3::Eigen)
  message(STATUS "taut: taut-compare: not built, Eigen was not found")
  return()
endif()
find_library(TAUT_CHOLMOD cholmod)
find_path(TAUT_CHOLMOD_HEADERS suitesparse/cholmod.h)

enable_language(CXX)
find_package(OpenMP REQUIRED COMPONENTS CXX)
add_executable(taut_compare
  compare/main.c compare/compare_rows.c compare/curves.c compare/reference.c compare/methods.c compare/problem.c compare/sparse.c
  compare/processor.c compare/dense_newton.c compare/xpbd.c compare/primal.c compare/linear.c compare/taut_method.c
  compare/linear_system.cc compare/direct.cc compare/amg.cc convergence/measured_state.c convergence/convergence_solvers.c ${TAUT_BENCH_COMMON})
target_compile_features(taut_compare PRIVATE cxx_std_17)
target_link_libraries(taut_compare PRIVATE
  taut_bench_scenes taut_objects taut_bench_options Eigen3::Eigen OpenMP::OpenMP_CXX)
set_target_properties(taut_compare PROPERTIES OUTPUT_NAME taut-compare)
if(TAUT_CHOLMOD AND TAUT_CHOLMOD_HEADERS)
  target_compile_definitions(taut_compare PRIVATE COMPARE_WITH_CHOLMOD)
  target_link_libraries(taut_compare PRIVATE ${TAUT_CHOLMOD})
endif()
if(TAUT_AMGCL)
  target_compile_definitions(taut_compare PRIVATE COMPARE_WITH_AMGCL AMGCL_NO_BOOST)
  target_include_directories(taut_compare SYSTEM PRIVATE ${TAUT_AMGCL})
endif()
if(TAUT_BUILD_TESTS)
  add_test(NAME bench.compare COMMAND taut_compare --smoke)
  set_tests_properties(bench.compare PROPERTIES LABELS bench TIMEOUT 300 ENVIRONMENT OMP_WAIT_POLICY=passive)
endif()
