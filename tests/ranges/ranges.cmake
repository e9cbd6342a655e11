# NVTX ranges as a profiler sees them. A program of its own: NVTX looks for an injection once per process. Included from
# tests/.
if(TAUT_WITH_CUDA)
  add_library(taut_ranges_injection SHARED ranges/injection.c)
  target_link_libraries(taut_ranges_injection PRIVATE taut_options CUDA::nvtx3)
  add_executable(taut_ranges_test ranges/test_ranges.c)
  target_link_libraries(taut_ranges_test PRIVATE taut taut_options taut_ranges_injection)
  foreach(backend cpu cuda)
    add_test(NAME ranges.nested/${backend} COMMAND taut_ranges_test ${backend})
    set_tests_properties(ranges.nested/${backend} PROPERTIES
      LABELS ranges SKIP_RETURN_CODE 77 TIMEOUT 60
      ENVIRONMENT NVTX_INJECTION64_PATH=$<TARGET_FILE:taut_ranges_injection>)
  endforeach()
endif()
