# docs/results.md is what benchmarks/results_page.py writes from benchmarks/results/*.csv.
find_package(Python3 COMPONENTS Interpreter)
if(Python3_Interpreter_FOUND)
  add_test(NAME docs.results COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/benchmarks/results_page.py --check)
  set_tests_properties(docs.results PROPERTIES LABELS docs)
endif()
