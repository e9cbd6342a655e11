# What only the CUDA backend has. Skipped at run time without a device.

# Calls of the runtime, streams and graphs. Wrapped functions of the runtime must be visible to the libraries that call them.
taut_add_tests(taut_cuda_tests taut
  support/cuda_calls.cc cuda/test_cuda_calls.c cuda/test_cuda_contact.c cuda/test_cuda_streams.c)
# cuBLAS, too: the library uses that of the program, where the program has one.
target_link_libraries(taut_cuda_tests PRIVATE CUDA::cudart CUDA::cublas ${CMAKE_DL_LIBS})
set_target_properties(taut_cuda_tests PROPERTIES ENABLE_EXPORTS ON)
taut_discover_tests(taut_cuda_tests cuda)

# The inside of the backend: links the library's objects.
taut_add_tests(taut_device_tests taut_objects cuda/test_assembled.cc cuda/test_multilevel_device.cc)
target_link_libraries(taut_device_tests PRIVATE taut_assembled)
taut_discover_tests(taut_device_tests cuda)

# For sanitizers and for the comparison of runs: no test framework, whatever the backend.
add_executable(taut_step_every_kind cuda/step_every_kind.c)
target_link_libraries(taut_step_every_kind PRIVATE taut_test_scenes taut taut_options)
set_target_properties(taut_step_every_kind PROPERTIES LINKER_LANGUAGE CXX)
add_test(NAME device.step_every_kind COMMAND taut_step_every_kind --backend cpu)
set_tests_properties(device.step_every_kind PROPERTIES LABELS unit)
