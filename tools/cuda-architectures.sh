#!/bin/sh
# Prints the option of cmake that builds for this machine alone: for its GPU, or where there is none PTX only, which is
# enough to run in an emulator. Without it taut is built for every chip, which takes several times as long.
if nvidia-smi -L 2>/dev/null | grep -q GPU; then
    echo "-DCMAKE_CUDA_ARCHITECTURES=native"
else
    echo "-DCMAKE_CUDA_ARCHITECTURES=75-virtual"
fi
