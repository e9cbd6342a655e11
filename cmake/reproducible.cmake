# The same sources give the same library and tool in every folder: tools/check-reproducible.sh compares two builds.

# Names of source files start at the source folder. Debug builds keep whole paths: a debugger opens the files by them.
set(TAUT_PREFIX_MAPS -ffile-prefix-map=${PROJECT_SOURCE_DIR}=. -ffile-prefix-map=${PROJECT_BINARY_DIR}=./build)
list(JOIN TAUT_PREFIX_MAPS "," TAUT_PREFIX_MAPS_OF_CUDA)
target_compile_options(taut_options INTERFACE
  "$<$<AND:$<NOT:$<CONFIG:Debug>>,$<COMPILE_LANGUAGE:C,CXX>>:${TAUT_PREFIX_MAPS}>"
  "$<$<AND:$<NOT:$<CONFIG:Debug>>,$<COMPILE_LANGUAGE:CUDA>>:-Xcompiler=${TAUT_PREFIX_MAPS_OF_CUDA}>")

# Programs in the build folder find the library relative to themselves.
set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)
