# Writes OUT, a header that says BENCH_COMMIT, where it does not say so already. Run at each build: a tree that was
# configured once is built from many commits.
execute_process(COMMAND git describe --always --dirty --abbrev=12
  WORKING_DIRECTORY ${CMAKE_CURRENT_LIST_DIR}
  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT commit)
  set(commit unknown)
endif()
file(CONFIGURE OUTPUT ${OUT} CONTENT "#define BENCH_COMMIT \"${commit}\"\n")
