# taut-convergence: iterations of one step by every method. Links the library's objects: all methods start from one state,
# multipliers included, which the interface lets nobody write.
add_library(taut_bench_scenes STATIC
  convergence/springs.c convergence/drape.c convergence/sheets.c convergence/chain_cases.c convergence/hinges.c
  convergence/refine.c ${PROJECT_SOURCE_DIR}/apps/taut/build/mesh_hinges.c)
target_include_directories(taut_bench_scenes PUBLIC ${PROJECT_SOURCE_DIR}/apps/taut ${PROJECT_SOURCE_DIR}/include)
target_link_libraries(taut_bench_scenes PRIVATE taut_bench_options)

add_executable(taut_convergence
  convergence/main.c convergence/convergence_options.c convergence/convergence_rows.c convergence/convergence_run.c convergence/measured_state.c
  convergence/balance.c
  convergence/convergence_solvers.c convergence/cases.c ${TAUT_BENCH_COMMON})
target_link_libraries(taut_convergence PRIVATE taut_bench_scenes taut_objects taut_bench_options)
set_target_properties(taut_convergence PROPERTIES OUTPUT_NAME taut-convergence)
if(TAUT_WITH_APPS)
  target_sources(taut_convergence PRIVATE convergence/convergence_meshes.c)
  target_compile_definitions(taut_convergence PRIVATE BENCH_WITH_MESHES)
  target_link_libraries(taut_convergence PRIVATE taut_app_io)
  target_link_libraries(taut_bench_scenes PRIVATE taut_app_io)
else()
  target_sources(taut_bench_scenes PRIVATE ${PROJECT_SOURCE_DIR}/apps/taut/base/array.c ${PROJECT_SOURCE_DIR}/apps/taut/base/report.c)
endif()
if(TAUT_BUILD_TESTS)
  add_test(NAME bench.convergence COMMAND taut_convergence --smoke)
  set_tests_properties(bench.convergence PROPERTIES LABELS bench TIMEOUT 300 ENVIRONMENT OMP_WAIT_POLICY=passive)
endif()
