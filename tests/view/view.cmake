# taut view and taut render: the built program from outside. Paths are from tests/.
find_package(PkgConfig REQUIRED)
pkg_check_modules(PNG REQUIRED IMPORTED_TARGET libpng)
add_executable(taut_view_tests app/folder.cc app/process.cc view/panels_seen.cc view/picture.cc view/screen.cc
  view/test_pointer.cc view/test_render.cc view/test_sliders.cc view/test_view.cc)
target_include_directories(taut_view_tests PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/app)
target_compile_features(taut_view_tests PRIVATE cxx_std_17)
target_compile_definitions(taut_view_tests PRIVATE TAUT_PROGRAM="$<TARGET_FILE:taut_tool>"
                                                   TAUT_EXAMPLE_SCENES="${PROJECT_SOURCE_DIR}/examples/scenes")
target_link_libraries(taut_view_tests PRIVATE taut_options PkgConfig::PNG GTest::gtest GTest::gtest_main)
add_dependencies(taut_view_tests taut_tool taut_view)
taut_discover(taut_view_tests "*" view PROPERTIES TIMEOUT 120)

# Parts of the viewer that need no window.
add_executable(taut_view_inside_tests app/folder.cc view/test_player.cc ../apps/taut/view/file_simulation.cc)
target_include_directories(taut_view_inside_tests PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/app ${PROJECT_SOURCE_DIR}/apps/taut/view)
target_compile_features(taut_view_inside_tests PRIVATE cxx_std_17)
target_link_libraries(taut_view_inside_tests PRIVATE taut_view_window taut_options GTest::gtest GTest::gtest_main)
taut_discover(taut_view_inside_tests "*" view PROPERTIES TIMEOUT 120)

# Surfaces that CUDA and OpenGL share.
if(TAUT_WITH_CUDA)
  add_library(taut_graphics_on_cpu SHARED view/graphics_on_cpu.cc)
  target_compile_features(taut_graphics_on_cpu PRIVATE cxx_std_17)
  target_link_libraries(taut_graphics_on_cpu PRIVATE taut_options CUDA::cudart PkgConfig::TAUT_VIEW_LIBRARIES)
  add_executable(taut_view_cuda_tests app/folder.cc app/process.cc view/picture.cc view/screen.cc view/test_shared.cc)
  target_include_directories(taut_view_cuda_tests PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/app)
  target_compile_features(taut_view_cuda_tests PRIVATE cxx_std_17)
  target_compile_definitions(taut_view_cuda_tests PRIVATE
    TAUT_PROGRAM="$<TARGET_FILE:taut_tool>" TAUT_GRAPHICS_ON_CPU="$<TARGET_FILE:taut_graphics_on_cpu>")
  target_link_libraries(taut_view_cuda_tests PRIVATE taut taut_options PkgConfig::PNG GTest::gtest GTest::gtest_main)
  add_dependencies(taut_view_cuda_tests taut_tool taut_view taut_graphics_on_cpu)
  taut_discover(taut_view_cuda_tests "*" "view;cuda" PROPERTIES TIMEOUT 120)
endif()
