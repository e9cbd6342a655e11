# taut_app_io: mesh readers, exporters, whole files, reports. Tests link it without the rest of the tool.
# By pkg-config: the CMake package of Debian names targets that it does not define.
find_package(PkgConfig REQUIRED)
pkg_check_modules(ASSIMP REQUIRED IMPORTED_TARGET assimp)

add_library(taut_app_io STATIC
  base/array.c base/directory.c base/file_claims.c base/file_sequence.c base/input_file.c base/report.c base/text_scanner.c
  base/warning.c base/whole_file.c
  mesh/mesh.c mesh/mesh_assimp.c mesh/mesh_boundary.c mesh/mesh_check.c mesh/mesh_draft.c mesh/mesh_gmsh.c mesh/mesh_gmsh_numbers.c
  mesh/mesh_isolated.c mesh/mesh_medit.c mesh/mesh_obj.c mesh/mesh_open.c mesh/mesh_polygons.c mesh/mesh_repeats.c mesh/mesh_surface.c mesh/mesh_tetgen.c mesh/mesh_tets.c mesh/mesh_vtk.c mesh/point_cache.c
  export/export.c export/export_names.c export/export_obj.c export/export_pc2.c export/export_ply.c
  export/export_usda.c
  $<IF:$<BOOL:${TAUT_WITH_VTU}>,mesh/mesh_vtu.c;mesh/vtu_data.c,mesh/mesh_vtu_missing.c>)
target_include_directories(taut_app_io PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
target_compile_definitions(taut_app_io PRIVATE _POSIX_C_SOURCE=200809L _FILE_OFFSET_BITS=64)
target_link_libraries(taut_app_io PRIVATE taut_options PkgConfig::ASSIMP m)
if(TAUT_WITH_VTU)
  target_link_libraries(taut_app_io PRIVATE EXPAT::EXPAT ZLIB::ZLIB)
endif()
