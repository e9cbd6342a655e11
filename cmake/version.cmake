# TAUT_VERSION: read from include/taut/base.h, the one place that says it.
file(STRINGS include/taut/base.h TAUT_VERSION_LINES REGEX "^#define TAUT_VERSION_(MAJOR|MINOR|PATCH) +[0-9]+$")
list(TRANSFORM TAUT_VERSION_LINES REPLACE "^.* " "")
list(LENGTH TAUT_VERSION_LINES TAUT_VERSION_PARTS)
if(NOT TAUT_VERSION_PARTS EQUAL 3)
  message(FATAL_ERROR "include/taut/base.h: TAUT_VERSION_MAJOR, _MINOR and _PATCH were not found")
endif()
list(JOIN TAUT_VERSION_LINES "." TAUT_VERSION)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS include/taut/base.h)
