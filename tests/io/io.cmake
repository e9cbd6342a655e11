# Mesh readers and exporters, called from inside. Paths are from tests/.
add_executable(taut_io_tests
  app/folder.cc
  io/exports.cc
  io/mesh_files.cc
  io/test_bad_mesh_files.cc
  io/test_exporters.cc
  io/test_export_failures.cc
  io/test_file_mutations.cc
  io/test_gmsh_binary.cc
  io/test_mesh_readers.cc
  io/test_point_caches.cc
  io/test_shared_meshes.cc
  io/test_vtu.cc)
target_include_directories(taut_io_tests PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/app ${CMAKE_CURRENT_SOURCE_DIR}/io)
target_compile_features(taut_io_tests PRIVATE cxx_std_17)
target_compile_options(taut_io_tests PRIVATE -O1) # soon compiled; what it calls is optimised as ever
target_link_libraries(taut_io_tests PRIVATE taut_app_io taut_options GTest::gtest GTest::gtest_main)
if(TAUT_WITH_VTU)
  target_compile_definitions(taut_io_tests PRIVATE TAUT_WITH_VTU)
  target_link_libraries(taut_io_tests PRIVATE ZLIB::ZLIB)
endif()
taut_discover(taut_io_tests "*" io PROPERTIES TIMEOUT 300)
