# The core library against formulas, an independent float64 reference, and its own promises.
include(${CMAKE_CURRENT_LIST_DIR}/physics.cmake OPTIONAL) # sets TAUT_PHYSICS_TESTS

add_executable(taut_core_tests
  harness.cc
  core/compare.c
  core/counting.c
  core/dense.c
  core/dense_solve.cc
  core/force_cases.c
  core/force_formulas_f32.c
  core/force_system.c
  core/formula_cases.c
  core/formula_table.c
  core/frame_formulas_f32.c
  core/graph_scenes.c
  core/method_pairs.c
  core/oracle.cc
  core/oracle_scene.c
  core/oracle_terms.cc
  core/scene_graph.c
  core/scenes.c
  core/test_assembly.c
  core/test_condensed.c
  core/test_determinism.c
  core/test_direct.c
  core/test_force_formulas.c
  core/test_force_solid.c
  core/test_forces_step.c
  core/test_formulas.c
  core/test_formulations_dense.c
  core/test_formulas_degenerate.c
  core/test_formulas_projection.c
  core/test_frame_formulas.c
  core/test_gauss_seidel.c
  core/test_graph.c
  core/test_graph_chains.c
  core/test_graph_stages.c
  core/test_graph_step.c
  core/test_interface_forces.c
  core/test_interface_frames.c
  core/test_interface_scene.c
  core/test_interface_world.c
  core/test_lifecycle.c
  core/test_operators.c
  core/test_oracle.c
  core/test_oracle_self.c
  core/test_ordering.c
  core/test_robust.c
  core/test_small_math.c
  core/test_stages.c
  core/test_steps.c
  core/test_svd3.c
  core/twins.c
  ${TAUT_PHYSICS_TESTS})
target_include_directories(taut_core_tests PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/core
                                                   ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/benchmarks)
target_link_libraries(taut_core_tests PRIVATE taut taut_options GTest::gtest Eigen3::Eigen m)
if(TAUT_WITH_CUDA)
  # Wrapped functions of the runtime must be visible to the libraries that call them.
  target_sources(taut_core_tests PRIVATE core/cuda_calls.cc core/test_cuda_calls.c
                                         core/test_cuda_contact.c
                                         core/test_cuda_streams.c)
  target_link_libraries(taut_core_tests PRIVATE CUDA::cudart CUDA::cublas ${CMAKE_DL_LIBS})
  set_target_properties(taut_core_tests PROPERTIES ENABLE_EXPORTS ON)
endif()
gtest_discover_tests(taut_core_tests DISCOVERY_TIMEOUT 60 PROPERTIES LABELS core)

# Contact again by projected methods and Gauss-Seidel. Cloth, ropes and heaps take them too long, one test names a
# preconditioner. Gauss-Seidel does not reach 1e-10 where a thousand times the mass lies on light boxes, nor 1e-6 where a rigid body
# lands on more places than it needs, and takes no mapped points.
set(contact_without "-contact_cloth*:contact_heap*:contact_rope*:contact_soft*:contact_surfaces*:contact_methods*")
string(APPEND contact_without ":contact_rolling.every_formulation*")
foreach(method projected_gradient nonsmooth_cg gauss_seidel)
  set(without "${contact_without}")
  if(method STREQUAL "gauss_seidel")
    string(APPEND without ":contact_piles.ten*:contact_piles.heavy*:contact_through.body_and_cloth*:contact_skin.*a_box*:contact_skin.*across*")
    string(APPEND without ":contact_skin.*momentum*:contact_skin.skins*:*mapped*:*excluded_bodies*:*all_pairs*:*plate_of_a_body*")
  endif()
  gtest_discover_tests(taut_core_tests DISCOVERY_TIMEOUT 60 TEST_PREFIX by_${method}. TEST_FILTER "contact_*/cpu${without}"
    TEST_LIST contact_by_${method} PROPERTIES LABELS core ENVIRONMENT TAUT_TEST_METHOD=${method})
endforeach()

# The physics again by one method alone. Two tests are about preconditioners that only the Schur complement has; hard chains
# under 1e5 times their weight are beyond the condensed system.
set(physics pendulum chain oscillator soft membrane cloth reference bodies joints linkages rods rod_motion coupling mappings
  mapped_masses)
list(TRANSFORM physics APPEND ".*/cpu")
list(JOIN physics ":" physics)
set(methods condensed schur)
if(TAUT_WITH_DIRECT)
  list(APPEND methods direct)
endif()
foreach(method IN LISTS methods)
  set(without "")
  if(method STREQUAL "condensed")
    set(without "-*every_preconditioner*:chain.swings_a_heavy_load_*")
  elseif(method STREQUAL "direct")
    set(without "-*every_preconditioner*")
  endif()
  gtest_discover_tests(taut_core_tests DISCOVERY_TIMEOUT 60 TEST_PREFIX by_${method}. TEST_FILTER "${physics}${without}"
    TEST_LIST physics_by_${method} PROPERTIES LABELS core ENVIRONMENT TAUT_TEST_METHOD=${method})
endforeach()
