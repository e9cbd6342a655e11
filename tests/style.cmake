# What a reader relies on in the sources themselves. Label `style`.
find_package(Python3 COMPONENTS Interpreter)
if(Python3_FOUND)
  add_test(NAME style.rooms COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/check-rooms.py ${PROJECT_SOURCE_DIR})
  add_test(NAME style.sentences
    COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/check-sentences.py ${PROJECT_SOURCE_DIR})
  set_tests_properties(style.rooms style.sentences PROPERTIES LABELS style)

  # Where there is no ffmpeg, the program that makes the gallery says so before it draws.
  add_test(NAME style.gallery_without_ffmpeg COMMAND ${Python3_EXECUTABLE} -c
    "import os, runpy, sys; os.environ['PATH'] = ''; runpy.run_path(sys.argv.pop(1), run_name='__main__')"
    ${PROJECT_SOURCE_DIR}/tools/gallery.py --taut ${Python3_EXECUTABLE} --only four-bar)
  set_tests_properties(style.gallery_without_ffmpeg PROPERTIES LABELS style
    PASS_REGULAR_EXPRESSION "gallery: there is no program 'ffmpeg'" FAIL_REGULAR_EXPRESSION Traceback)
endif()
