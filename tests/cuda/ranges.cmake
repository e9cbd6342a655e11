# NVTX ranges as a profiler sees them. A program of its own: NVTX looks for an injection once per process. Included from
# tests/.
add_library(taut_ranges_injection SHARED cuda/nvtx_injection.c)
target_link_libraries(taut_ranges_injection PRIVATE taut_options CUDA::nvtx3)
add_executable(taut_ranges_test cuda/test_ranges.c)
target_link_libraries(taut_ranges_test PRIVATE taut taut_options taut_ranges_injection)
set(cpu_label unit)
set(cuda_label cuda)
foreach(backend cpu cuda)
  add_test(NAME ranges.nested/${backend} COMMAND taut_ranges_test ${backend})
  set_tests_properties(ranges.nested/${backend} PROPERTIES
    LABELS "${${backend}_label}" SKIP_RETURN_CODE 77 TIMEOUT 60
    ENVIRONMENT NVTX_INJECTION64_PATH=$<TARGET_FILE:taut_ranges_injection>)
endforeach()
