# taut_app_io: mesh readers, exporters, whole files, reports. Tests link it without the rest of the tool.
# By pkg-config: the CMake package of Debian names targets that it does not define.
find_package(PkgConfig REQUIRED)
pkg_check_modules(ASSIMP REQUIRED IMPORTED_TARGET assimp)

add_library(taut_app_io STATIC
  array.c directory.c export.c export_names.c export_obj.c export_pc2.c export_ply.c export_usda.c input_file.c mesh.c
  mesh_assimp.c mesh_boundary.c mesh_check.c mesh_draft.c mesh_gmsh.c mesh_isolated.c mesh_obj.c mesh_surface.c
  mesh_tetgen.c mesh_tets.c mesh_vtk.c report.c text_scanner.c whole_file.c)
target_include_directories(taut_app_io PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
target_compile_definitions(taut_app_io PRIVATE _POSIX_C_SOURCE=200809L _FILE_OFFSET_BITS=64)
target_link_libraries(taut_app_io PRIVATE taut_options PkgConfig::ASSIMP m)
