# The inside of the CUDA backend: tests that link the library's objects. Skipped at run time without a device.
add_executable(taut_device_tests
  harness.cc
  core/dense.c
  core/level_scenes.c
  core/oracle_scene.c
  core/oracle_terms.cc
  core/scene_graph.c
  core/scenes.c
  core/test_assembled.cc
  core/test_multilevel_device.cc)
target_include_directories(taut_device_tests PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/core)
target_link_libraries(taut_device_tests PRIVATE taut_objects taut_assembled taut_options GTest::gtest Eigen3::Eigen m)
set_target_properties(taut_device_tests PROPERTIES LINKER_LANGUAGE CXX)
gtest_discover_tests(taut_device_tests DISCOVERY_TIMEOUT 60 PROPERTIES LABELS device)

# For sanitizers and for the comparison of runs: no test framework, whatever the backend.
add_executable(taut_step_every_kind
  core/dense.c
  core/oracle_scene.c
  core/oracle_terms.cc
  core/scene_graph.c
  core/scenes.c
  gpu/step_every_kind.c)
target_include_directories(taut_step_every_kind PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/core)
target_link_libraries(taut_step_every_kind PRIVATE taut taut_options Eigen3::Eigen m)
add_test(NAME device.step_every_kind COMMAND taut_step_every_kind --backend cpu)
set_tests_properties(device.step_every_kind PROPERTIES LABELS device ENVIRONMENT OMP_WAIT_POLICY=passive)
