# The inside of the host's code and of the CPU backend: tests that link the library's objects.
add_executable(taut_inside_tests
  harness.cc
  core/closed_meshes.c
  core/dense.c
  core/level_scenes.c
  core/line_scenes.c
  core/oracle_scene.c
  core/oracle_terms.cc
  core/phys_frames.c
  core/phys_meshes.c
  core/phys_rods.c
  core/phys_scenes.c
  core/scene_graph.c
  core/scenes.c
  core/test_lines_inside.c
  core/test_mesh_distance.c
  core/test_multilevel.c)
target_include_directories(taut_inside_tests PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/core)
target_link_libraries(taut_inside_tests PRIVATE taut_objects taut_options GTest::gtest Eigen3::Eigen m)
set_target_properties(taut_inside_tests PROPERTIES LINKER_LANGUAGE CXX)
gtest_discover_tests(taut_inside_tests DISCOVERY_TIMEOUT 60 PROPERTIES LABELS core)
