# Packages: `cpack -G DEB` in the build folder makes taut_VERSION_ARCHITECTURE.deb,
# `cpack --config CPackSourceConfig.cmake` makes taut-VERSION.tar.gz of the files that git tracks.
set(CPACK_PACKAGE_NAME taut)
set(CPACK_PACKAGE_VENDOR "The taut developers")
set(CPACK_PACKAGE_CONTACT "The taut developers")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_DESCRIPTION
"taut simulates cloth, ropes, soft bodies, rigid bodies with joints, and rods, with
contact and Coulomb friction, as one constrained system.
This package holds the library, its headers and the command-line tool.")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_GENERATOR DEB)
set(CPACK_THREADS 0)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
if(TAUT_WITH_CUDA)
  # Not from Debian: dpkg-shlibdeps finds the files there, and names a package where one owns them.
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CUDAToolkit_LIBRARY_DIR})
  string(APPEND CPACK_PACKAGE_DESCRIPTION
    "\nThe CUDA runtime of CUDA ${CUDAToolkit_VERSION_MAJOR} must be installed too, and its cuBLAS for the operator A^-1 alone.")
endif()

set(CPACK_SOURCE_GENERATOR TGZ)
set(CPACK_SOURCE_PACKAGE_FILE_NAME taut-${PROJECT_VERSION})
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_SOURCE_DIR}/cmake/package/options.cmake)
include(CPack)
