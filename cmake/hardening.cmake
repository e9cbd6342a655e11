# TAUT_HARDENING: checks that the compiler and the loader add. None of them changes a floating-point operation.
if(TAUT_HARDENING)
  target_compile_options(taut_options INTERFACE
    "$<$<COMPILE_LANGUAGE:C,CXX>:-fstack-protector-strong>"
    "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-fstack-protector-strong>")

  # Checked calls of the C library: they need optimisation, and sanitizers check the same calls themselves. Some
  # distributions define a level in the compiler, hence -U. CUDA sources are left out: device code calls memcpy too.
  if(NOT TAUT_SANITIZE)
    include(CheckCSourceCompiles)
    check_c_source_compiles("
      #if !__has_builtin(__builtin_dynamic_object_size)
      #error level 2 is the highest
      #endif
      int main(void) { return 0; }" TAUT_HAS_FORTIFY_3)
    set(TAUT_FORTIFY_LEVEL 2)
    if(TAUT_HAS_FORTIFY_3)
      set(TAUT_FORTIFY_LEVEL 3)
    endif()
    target_compile_options(taut_options INTERFACE
      "$<$<AND:$<COMPILE_LANGUAGE:C,CXX>,$<CONFIG:Release,RelWithDebInfo,MinSizeRel>>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=${TAUT_FORTIFY_LEVEL}>")
  endif()

  # Programs load at random addresses; their tables of library functions are filled at the start and then read-only.
  include(CheckPIESupported)
  check_pie_supported(LANGUAGES C)
  include(CheckLinkerFlag)
  check_linker_flag(C "LINKER:-z,relro,-z,now" TAUT_HAS_RELRO)
  if(TAUT_HAS_RELRO)
    target_link_options(taut_options INTERFACE "LINKER:-z,relro,-z,now")
  endif()
endif()
