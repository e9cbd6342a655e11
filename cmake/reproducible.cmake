# The same sources give the same library and tool in every folder: tools/check-reproducible.sh compares two builds.

# Names of source files start at the source folder. Debug builds keep whole paths: a debugger opens the files by them.
set(TAUT_PREFIX_MAPS -ffile-prefix-map=${PROJECT_SOURCE_DIR}=. -ffile-prefix-map=${PROJECT_BINARY_DIR}=./build)
target_compile_options(taut_options INTERFACE
  "$<$<AND:$<NOT:$<CONFIG:Debug>>,$<COMPILE_LANGUAGE:C,CXX>>:${TAUT_PREFIX_MAPS}>")
if(NOT "${TAUT_PREFIX_MAPS}" MATCHES "[ ,]") # nvcc would split them there
  list(JOIN TAUT_PREFIX_MAPS "," TAUT_PREFIX_MAPS_OF_CUDA)
  target_compile_options(taut_options INTERFACE
    "$<$<AND:$<NOT:$<CONFIG:Debug>>,$<COMPILE_LANGUAGE:CUDA>>:-Xcompiler=${TAUT_PREFIX_MAPS_OF_CUDA}>")
endif()

# Programs in the build folder find the library relative to themselves.
set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)

# nvcc names its temporary files by its process, and the names stay in the objects, unless the files stand beside them.
# Line numbers of kernels would hold whole paths: nvcc maps none.
option(TAUT_CUDA_LINEINFO "Line numbers of kernels, for profilers; puts paths of sources into the library" OFF)
if(TAUT_WITH_CUDA)
  include(CheckCompilerFlag)
  check_compiler_flag(CUDA --objdir-as-tempdir TAUT_HAS_OBJDIR_AS_TEMPDIR)
  target_compile_options(taut_options INTERFACE
    "$<$<AND:$<BOOL:${TAUT_HAS_OBJDIR_AS_TEMPDIR}>,$<COMPILE_LANGUAGE:CUDA>>:--objdir-as-tempdir>"
    "$<$<AND:$<BOOL:${TAUT_CUDA_LINEINFO}>,$<COMPILE_LANGUAGE:CUDA>>:-lineinfo>")
endif()

# taut_relative_cuda_names(TARGET): nvcc makes names of what is local to a source from the source's path: with CUB, names of
# the binary. The path given here is relative to the source folder.
function(taut_relative_cuda_names target)
  check_compiler_flag(CUDA "-Xcudafe=--orig_src_path_name,name.cu" TAUT_HAS_ORIG_SRC_PATH_NAME)
  if(NOT TAUT_HAS_ORIG_SRC_PATH_NAME)
    return()
  endif()
  get_target_property(folder ${target} SOURCE_DIR)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "[.]cu$")
  foreach(source IN LISTS sources)
    file(REAL_PATH ${source} path BASE_DIRECTORY ${folder})
    file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR} ${path})
    set_property(SOURCE ${path} TARGET_DIRECTORY ${target} APPEND PROPERTY
      COMPILE_OPTIONS "-Xcudafe=--orig_src_path_name,${name},--orig_src_file_name,${name}")
  endforeach()
endfunction()
