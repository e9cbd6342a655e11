# Steps that the scripts beside this file share.

# Runs a command; the test fails where the command does.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${ARGN}: ${result}")
  endif()
endfunction()

# Builds and runs the consumer by find_package. Needs SOURCE, COMPILER and GENERATOR.
function(use_by_find_package prefix work flags)
  run(${CMAKE_COMMAND} -G ${GENERATOR} -S ${SOURCE} -B ${work}/build
    -D CMAKE_PREFIX_PATH=${prefix} -D CMAKE_C_COMPILER=${COMPILER} "-DCMAKE_C_FLAGS=${flags}")
  run(${CMAKE_COMMAND} --build ${work}/build)
  find_program(consumer consumer PATHS ${work}/build ${work}/build/Debug ${work}/build/Release NO_DEFAULT_PATH REQUIRED)
  run(${consumer})
endfunction()

# The same by pkg-config, where it is installed. Needs SOURCE, COMPILER and LIBDIR.
function(use_by_pkg_config prefix work flags static)
  find_program(pkg_config NAMES pkg-config pkgconf)
  if(NOT pkg_config)
    message(STATUS "pkg-config is not installed; that half was left out")
    return()
  endif()
  execute_process(
    COMMAND ${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${prefix}/${LIBDIR}/pkgconfig
      ${pkg_config} ${static} --cflags --libs taut
    OUTPUT_VARIABLE options OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(options UNIX_COMMAND "${options}")
  run(${COMPILER} -std=c11 ${flags} ${SOURCE}/main.c ${options} -Wl,-rpath,${prefix}/${LIBDIR} -o ${work}/by_pkg_config)
  run(${work}/by_pkg_config)
endfunction()
