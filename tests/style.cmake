# What a reader relies on in the sources themselves. Label `style`.
find_package(Python3 COMPONENTS Interpreter)
if(Python3_FOUND)
  add_test(NAME style.rooms COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/check-rooms.py ${PROJECT_SOURCE_DIR})
  add_test(NAME style.sentences
    COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/check-sentences.py ${PROJECT_SOURCE_DIR})
  set_tests_properties(style.rooms style.sentences PROPERTIES LABELS style)
endif()
