# The manual page and the completion of bash name the options that the help of the commands names, and no others.
#   cmake -D PROGRAM=taut -D ROOT=... -P check_manual.cmake
function(require_same name found)
  list(REMOVE_DUPLICATES found)
  list(SORT found)
  if(NOT found STREQUAL expected)
    message(FATAL_ERROR "${name}: ${found}; the help of the commands: ${expected}")
  endif()
endfunction()

set(expected --help --version)
foreach(command run check assemble view render info)
  execute_process(COMMAND ${PROGRAM} ${command} --help OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "--[a-z][a-z-]*" options "${text}")
  list(APPEND expected ${options})
endforeach()
list(REMOVE_DUPLICATES expected)
list(SORT expected)

file(READ ${ROOT}/docs/taut.1 text)
string(REPLACE "\\-" "-" text "${text}")
string(REGEX MATCHALL "--[a-z][a-z-]*" options "${text}")
require_same(docs/taut.1 "${options}")

file(READ ${ROOT}/cmake/package/completion.bash text)
string(REGEX MATCHALL "--[a-z][a-z-]*" options "${text}")
require_same(cmake/package/completion.bash "${options}")
