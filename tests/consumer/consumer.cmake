# What a user meets: the installed library through CMake and through pkg-config, the packages, the library's exports, the
# version, the manual. Included from tests/.
set(TAUT_CONSUMER_WORK ${CMAKE_CURRENT_BINARY_DIR}/consumer)
find_program(TAUT_DPKG_DEB dpkg-deb)
find_program(TAUT_DPKG_SHLIBDEPS dpkg-shlibdeps)
find_program(TAUT_FILE file) # cpack asks it which files are binaries
find_program(TAUT_GIT git)
mark_as_advanced(TAUT_DPKG_DEB TAUT_DPKG_SHLIBDEPS TAUT_FILE TAUT_GIT)

# taut_consumer_test(NAME SCRIPT DEFINITIONS...): runs a script of consumer/ with definitions.
function(taut_consumer_test name script)
  list(TRANSFORM ARGN PREPEND -D)
  add_test(NAME consumer.${name}
    COMMAND ${CMAKE_COMMAND} ${ARGN} -P ${CMAKE_CURRENT_SOURCE_DIR}/consumer/${script}.cmake)
  set_tests_properties(consumer.${name} PROPERTIES LABELS consumer TIMEOUT 300)
endfunction()

set(install_options
  BUILD=${PROJECT_BINARY_DIR}
  CONFIG=$<CONFIG>
  SOURCE=${CMAKE_CURRENT_SOURCE_DIR}/consumer
  LIBDIR=${CMAKE_INSTALL_LIBDIR}
  COMPILER=${CMAKE_C_COMPILER}
  GENERATOR=${CMAKE_GENERATOR}
  SHARED=${BUILD_SHARED_LIBS})
taut_consumer_test(package check_package
  ${install_options} WORK=${TAUT_CONSUMER_WORK}/package SANITIZE=${TAUT_SANITIZE})
taut_consumer_test(version check_version VERSION=${PROJECT_VERSION} ROOT=${PROJECT_SOURCE_DIR})

if(TAUT_DPKG_DEB AND TAUT_DPKG_SHLIBDEPS AND TAUT_FILE AND NOT TAUT_SANITIZE)
  taut_consumer_test(deb check_deb
    ${install_options} WORK=${TAUT_CONSUMER_WORK}/deb CPACK=${CMAKE_CPACK_COMMAND} DPKG=${TAUT_DPKG_DEB}
    VERSION=${PROJECT_VERSION} APPS=${TAUT_WITH_APPS})
  set_tests_properties(consumer.deb PROPERTIES LABELS "consumer;slow")
endif()
if(TAUT_GIT AND EXISTS ${PROJECT_SOURCE_DIR}/.git AND NOT TAUT_SANITIZE)
  taut_consumer_test(source check_source
    BUILD=${PROJECT_BINARY_DIR} WORK=${TAUT_CONSUMER_WORK}/source CPACK=${CMAKE_CPACK_COMMAND}
    VERSION=${PROJECT_VERSION} COMPILER=${CMAKE_C_COMPILER} GENERATOR=${CMAKE_GENERATOR})
  set_tests_properties(consumer.source PROPERTIES LABELS "consumer;slow" TIMEOUT 900)
endif()
if(BUILD_SHARED_LIBS AND CMAKE_NM)
  taut_consumer_test(exports check_exports
    NM=${CMAKE_NM} LIBRARY=$<TARGET_FILE:taut> HEADERS=${PROJECT_SOURCE_DIR}/include/taut)
endif()
if(TAUT_WITH_VIEW) # with the options of all commands
  taut_consumer_test(manual check_manual PROGRAM=$<TARGET_FILE:taut_tool> ROOT=${PROJECT_SOURCE_DIR})
endif()
