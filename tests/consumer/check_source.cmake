# Makes the source archive, unpacks it, and builds and runs an example from it with as few options as possible.
#   cmake -D CPACK=... -D VERSION=... -D BUILD=... -D WORK=... -D COMPILER=... -D GENERATOR=... -P check_source.cmake
include(${CMAKE_CURRENT_LIST_DIR}/steps.cmake)

file(REMOVE_RECURSE ${WORK})
run(${CPACK} --config ${BUILD}/CPackSourceConfig.cmake -G TGZ -B ${WORK})
run(${CMAKE_COMMAND} -E chdir ${WORK} ${CMAKE_COMMAND} -E tar xzf taut-${VERSION}.tar.gz)
set(source ${WORK}/taut-${VERSION})
foreach(surplus .git build out)
  if(EXISTS ${source}/${surplus})
    message(FATAL_ERROR "the archive has ${surplus}")
  endif()
endforeach()
run(${CMAKE_COMMAND} -G ${GENERATOR} -S ${source} -B ${WORK}/build -D CMAKE_BUILD_TYPE=Release
  -D CMAKE_C_COMPILER=${COMPILER} -D TAUT_CUDA=OFF -D TAUT_DIRECT=OFF -D TAUT_BUILD_APPS=OFF -D TAUT_BUILD_TESTS=OFF
  -D TAUT_BUILD_BENCHMARKS=OFF)
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${WORK}/build/bin/hanging_cloth)
