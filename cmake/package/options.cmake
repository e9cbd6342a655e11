# Read by cpack itself. A source package installs no project: its content is what source_files.cmake copies.
if(NOT CPACK_INSTALL_CMAKE_PROJECTS)
  set(CPACK_INSTALLED_DIRECTORIES "")
  set(CPACK_INSTALL_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/source_files.cmake)
  set(CPACK_PACKAGING_INSTALL_PREFIX /)
  set(CPACK_STRIP_FILES OFF)
endif()
