install(TARGETS taut EXPORT tautTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY include/taut DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT tautTargets NAMESPACE taut:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/taut)

configure_package_config_file(cmake/tautConfig.cmake.in tautConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/taut)
write_basic_package_version_file(tautConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tautConfig.cmake ${PROJECT_BINARY_DIR}/tautConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/taut)

# The package finds its prefix from where it lies, so that it may be installed anywhere.
file(RELATIVE_PATH TAUT_PC_TO_PREFIX "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
if(TAUT_WITH_CUDA)
  set(TAUT_PC_CUDA " -L${CUDAToolkit_LIBRARY_DIR} -lcudart -lstdc++")
endif()
if(TAUT_WITH_DIRECT)
  set(TAUT_PC_DIRECT " -lldl -lamd")
endif()
configure_file(cmake/taut.pc.in taut.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/taut.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(FILES LICENSE NOTICE THIRD_PARTY.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES cmake/package/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR})
if(TAUT_WITH_APPS)
  install(FILES docs/taut.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES cmake/package/completion.bash
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME taut)
endif()
