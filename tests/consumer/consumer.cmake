# What a user meets: the installed package through CMake and through pkg-config, and the library's exports. Included
# from tests/.
set(TAUT_CONSUMER_WORK ${CMAKE_CURRENT_BINARY_DIR}/consumer)

add_test(NAME consumer.package COMMAND ${CMAKE_COMMAND}
  -D BUILD=${PROJECT_BINARY_DIR}
  -D CONFIG=$<CONFIG>
  -D SOURCE=${CMAKE_CURRENT_SOURCE_DIR}/consumer
  -D WORK=${TAUT_CONSUMER_WORK}
  -D LIBDIR=${CMAKE_INSTALL_LIBDIR}
  -D COMPILER=${CMAKE_C_COMPILER}
  -D GENERATOR=${CMAKE_GENERATOR}
  -D SHARED=${BUILD_SHARED_LIBS}
  -D SANITIZE=${TAUT_SANITIZE}
  -P ${CMAKE_CURRENT_SOURCE_DIR}/consumer/check_package.cmake)
set_tests_properties(consumer.package PROPERTIES LABELS consumer TIMEOUT 300)

if(BUILD_SHARED_LIBS AND CMAKE_NM)
  add_test(NAME consumer.exports COMMAND ${CMAKE_COMMAND}
    -D NM=${CMAKE_NM}
    -D LIBRARY=$<TARGET_FILE:taut>
    -D HEADERS=${PROJECT_SOURCE_DIR}/include/taut
    -P ${CMAKE_CURRENT_SOURCE_DIR}/consumer/check_exports.cmake)
  set_tests_properties(consumer.exports PROPERTIES LABELS consumer)
endif()
