# taut_options: what every target of the project compiles with. Never installed.
add_library(taut_options INTERFACE)
target_compile_options(taut_options INTERFACE
  "$<$<COMPILE_LANGUAGE:C,CXX>:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wvla;-Wno-unknown-pragmas>"
  "$<$<COMPILE_LANGUAGE:C>:-fopenmp-simd>" # loops that say that they may be vectorised
  # Vectors of the compiler are passed to what is inlined alone: no binary interface depends on them.
  "$<$<COMPILE_LANGUAGE:C>:-Wno-psabi>"
  "$<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes;-Wmissing-prototypes;-Wconversion;-Wno-sign-conversion>"
  "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra>"
  "$<$<AND:$<BOOL:${TAUT_WERROR}>,$<COMPILE_LANGUAGE:C,CXX>>:-Werror>"
  "$<$<AND:$<BOOL:${TAUT_WERROR}>,$<COMPILE_LANGUAGE:CUDA>>:--Werror=all-warnings;-Xcompiler=-Werror>"
  # Fused multiply-add would make the two precisions and the thread counts agree less than the formulas do.
  "$<$<COMPILE_LANGUAGE:C,CXX>:-ffp-contract=off;-fno-math-errno>"
  "$<$<AND:$<BOOL:${TAUT_NATIVE}>,$<COMPILE_LANGUAGE:C,CXX>>:-march=native>")
if(TAUT_SANITIZE)
  target_compile_options(taut_options INTERFACE -fsanitize=${TAUT_SANITIZE} -fno-sanitize-recover=all
                                                -fno-omit-frame-pointer
    "$<$<C_COMPILER_ID:Clang>:-Wno-pass-failed>") # loops that it watches are not vectorised
  target_link_options(taut_options INTERFACE -fsanitize=${TAUT_SANITIZE})
endif()
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_CUDA_VISIBILITY_PRESET hidden)
