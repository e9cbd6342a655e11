# Installs the build into a fresh prefix and builds the consumer against it twice: by find_package and by pkg-config.
#   cmake -D BUILD=... -D CONFIG=... -D SOURCE=... -D WORK=... -D LIBDIR=... -D COMPILER=... -D GENERATOR=...
#         -D SHARED=ON|OFF -D SANITIZE=... -P check_package.cmake
include(${CMAKE_CURRENT_LIST_DIR}/steps.cmake)

set(flags "")
if(SANITIZE)
  set(flags -fsanitize=${SANITIZE})
endif()
set(static "")
if(NOT SHARED)
  set(static --static)
endif()
set(prefix ${WORK}/prefix)
file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix} --config "${CONFIG}")
use_by_find_package(${prefix} ${WORK} "${flags}")
use_by_pkg_config(${prefix} ${WORK} "${flags}" "${static}")
