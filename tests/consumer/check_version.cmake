# CITATION.cff and the first heading of CHANGELOG.md state the version of include/taut/base.h.
#   cmake -D VERSION=... -D ROOT=... -P check_version.cmake
function(require_version file pattern)
  file(READ ${ROOT}/${file} text)
  if(NOT text MATCHES "${pattern}")
    message(FATAL_ERROR "${file} states no version")
  endif()
  if(NOT CMAKE_MATCH_1 STREQUAL VERSION)
    message(FATAL_ERROR "${file} states ${CMAKE_MATCH_1}, include/taut/base.h ${VERSION}")
  endif()
endfunction()

require_version(CITATION.cff "\nversion: \"?([^\"\n]+)")
require_version(CHANGELOG.md "\n## \\[([^]]+)\\]")
