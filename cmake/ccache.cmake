# ccache where it is installed and nothing else is asked for. Folders do not count, so that a clone finds what another one
# has built; of nvcc it has to be told which option has them.
find_program(TAUT_CCACHE ccache)
mark_as_advanced(TAUT_CCACHE)
if(TAUT_CCACHE AND PROJECT_IS_TOP_LEVEL)
  foreach(language C CXX CUDA)
    if(NOT DEFINED CMAKE_${language}_COMPILER_LAUNCHER)
      set(CMAKE_${language}_COMPILER_LAUNCHER
        ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=true
        CCACHE_IGNOREOPTIONS=-Xcompiler=-ffile-prefix-map=* ${TAUT_CCACHE})
    endif()
  endforeach()
endif()
