# Installs the build into a fresh prefix and builds the consumer against it twice: by find_package and by pkg-config.
#   cmake -D BUILD=... -D CONFIG=... -D SOURCE=... -D WORK=... -D LIBDIR=... -D COMPILER=... -D GENERATOR=...
#         -D SHARED=ON|OFF -D SANITIZE=... -P check_package.cmake
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${ARGN}: ${result}")
  endif()
endfunction()

set(flags "")
if(SANITIZE)
  set(flags -fsanitize=${SANITIZE})
endif()
set(prefix ${WORK}/prefix)
file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix} --config "${CONFIG}")

run(${CMAKE_COMMAND} -G ${GENERATOR} -S ${SOURCE} -B ${WORK}/build
  -D CMAKE_PREFIX_PATH=${prefix} -D CMAKE_C_COMPILER=${COMPILER} "-DCMAKE_C_FLAGS=${flags}")
run(${CMAKE_COMMAND} --build ${WORK}/build)
find_program(consumer consumer PATHS ${WORK}/build ${WORK}/build/Debug ${WORK}/build/Release NO_DEFAULT_PATH REQUIRED)
run(${consumer})

find_program(pkg_config NAMES pkg-config pkgconf)
if(NOT pkg_config)
  message(STATUS "no pkg-config here: that half was left out")
  return()
endif()
set(static "")
if(NOT SHARED)
  set(static --static)
endif()
execute_process(
  COMMAND ${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${prefix}/${LIBDIR}/pkgconfig
    ${pkg_config} ${static} --cflags --libs taut
  OUTPUT_VARIABLE options OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
separate_arguments(options UNIX_COMMAND "${options}")
run(${COMPILER} -std=c11 ${flags} ${SOURCE}/main.c ${options} -Wl,-rpath,${prefix}/${LIBDIR} -o ${WORK}/by_pkg_config)
run(${WORK}/by_pkg_config)
