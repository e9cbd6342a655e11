# Executes the code blocks of the pages that teach, a test for each page, and checks the links of all pages. Paths are from
# tests/.
find_package(Python3 COMPONENTS Interpreter)
if(NOT Python3_FOUND)
  return()
endif()

add_test(NAME docs.links COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/docs/check_links.py ${PROJECT_SOURCE_DIR})
set_tests_properties(docs.links PROPERTIES LABELS docs)

# Every public name has a comment.
find_program(TAUT_DOXYGEN doxygen)
mark_as_advanced(TAUT_DOXYGEN)
if(TAUT_DOXYGEN)
  add_test(NAME docs.headers COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/docs/check_headers.sh ${TAUT_DOXYGEN}
    ${CMAKE_CURRENT_BINARY_DIR}/docs/headers WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(docs.headers PROPERTIES LABELS docs)
endif()

if(NOT TAUT_WITH_APPS)
  return()
endif()

# What a program needs beside libtaut, and options of the compiler, as check_package.cmake has them for an installed one.
set(TAUT_DOCS_LIBS "")
set(TAUT_DOCS_CFLAGS "")
if(TAUT_SANITIZE)
  set(TAUT_DOCS_CFLAGS "-fsanitize=${TAUT_SANITIZE}")
endif()
if(NOT BUILD_SHARED_LIBS)
  string(APPEND TAUT_DOCS_LIBS " -lm -pthread")
  if(TAUT_WITH_DIRECT)
    string(APPEND TAUT_DOCS_LIBS " -lldl -lamd")
  endif()
endif()
set(TAUT_DOCS_CUDA "")
if(TAUT_WITH_CUDA)
  list(GET CUDAToolkit_INCLUDE_DIRS 0 TAUT_DOCS_CUDA)
  string(APPEND TAUT_DOCS_LIBS " -L${CUDAToolkit_LIBRARY_DIR} -Wl,-rpath,${CUDAToolkit_LIBRARY_DIR}")
  if(NOT BUILD_SHARED_LIBS)
    string(APPEND TAUT_DOCS_LIBS " -lcudart -lstdc++")
  endif()
endif()

file(GLOB TAUT_DOCS_PAGES RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/docs/index.md ${PROJECT_SOURCE_DIR}/docs/scene-format.md
  ${PROJECT_SOURCE_DIR}/docs/tutorial/*.md ${PROJECT_SOURCE_DIR}/docs/how-to/*.md)
if(NOT BUILD_SHARED_LIBS) # the page links the shared library; consumer.package has the static one, too
  list(REMOVE_ITEM TAUT_DOCS_PAGES docs/how-to/use-from-cmake.md)
endif()
foreach(page ${TAUT_DOCS_PAGES})
  string(REGEX REPLACE "^docs/|\\.md$" "" name ${page})
  string(REPLACE "/" "." name ${name})
  add_test(NAME docs.${name} COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/docs/run_docs.py
    ${PROJECT_SOURCE_DIR}/${page} --source ${PROJECT_SOURCE_DIR} --build ${PROJECT_BINARY_DIR}
    --scratch ${CMAKE_CURRENT_BINARY_DIR}/docs/${name} --cc ${CMAKE_C_COMPILER} "--cflags=${TAUT_DOCS_CFLAGS}"
    "--libs=${TAUT_DOCS_LIBS}" "--cuda-include=${TAUT_DOCS_CUDA}")
  set_tests_properties(docs.${name} PROPERTIES
    LABELS "docs;app" TIMEOUT 900)
endforeach()

foreach(name use-from-cmake look-at-a-scene debug-convergence read-positions change-parameters grab-weld-cut
             garment-from-obj sweep-parameters)
  if(TEST docs.how-to.${name})
    set_tests_properties(docs.how-to.${name} PROPERTIES LABELS "docs;app;slow")
  endif()
endforeach()

# The runner itself: a page whose blocks are right, and pages of one broken block each, which it must refuse.
add_test(NAME docs.runner COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/docs/test_run_docs.py
  --source ${PROJECT_SOURCE_DIR} --build ${PROJECT_BINARY_DIR} --scratch ${CMAKE_CURRENT_BINARY_DIR}/docs/runner
  --cc ${CMAKE_C_COMPILER} "--cflags=${TAUT_DOCS_CFLAGS}" "--libs=${TAUT_DOCS_LIBS}")
set_tests_properties(docs.runner PROPERTIES LABELS "docs;app;slow" TIMEOUT 900)

# The page that shows what a stage's text becomes shows it as it is.
add_test(NAME docs.expansion COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/docs/expansion.py --check
  --cc ${CMAKE_C_COMPILER})
set_tests_properties(docs.expansion PROPERTIES LABELS docs SKIP_RETURN_CODE 77)
