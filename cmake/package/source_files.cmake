# Copies the files that git tracks, as they are in the work tree, to CMAKE_INSTALL_PREFIX. cpack runs it.
cmake_path(GET CMAKE_CURRENT_LIST_DIR PARENT_PATH source)
cmake_path(GET source PARENT_PATH source)
execute_process(COMMAND git ls-files
  WORKING_DIRECTORY ${source} OUTPUT_VARIABLE files COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]+" files "${files}")
foreach(file IN LISTS files)
  if(EXISTS ${source}/${file})
    cmake_path(GET file PARENT_PATH folder)
    file(COPY ${source}/${file} DESTINATION ${CMAKE_INSTALL_PREFIX}/${folder})
  endif()
endforeach()
