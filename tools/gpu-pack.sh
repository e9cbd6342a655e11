#!/bin/sh
# Puts what tools/gpu-check.sh --built needs into a folder: programs of a build with CUDA, stripped, their libraries but those
# of CUDA and of the system, a probe, and scenes with contact.
#
#   tools/gpu-pack.sh [--build DIR] FOLDER [PROGRAM...]
#
# Without programs all that are built. Build for the device's own capability, so that its driver has no machine code to make,
# which takes 50 s for every process on a device that has not seen the kernels (90: H100 and H200; with PTX of the same, which
# an emulator needs):
#   cmake --preset release -DTAUT_CUDA=ON -DCMAKE_CUDA_ARCHITECTURES=90
set -eu
cd "$(dirname "$0")/.."
build=build/release
[ "${1:-}" != --build ] || { build=$2 && shift 2; }
[ $# -gt 0 ] || { sed -n '2,11s/^# \{0,1\}//p' "$0" >&2 && exit 2; }
folder=$1
shift
[ $# -gt 0 ] || set -- taut taut_step_every_kind taut-bench taut-bench-cuda taut_device_tests taut_cuda_tests taut_unit_tests \
    taut_api_tests taut_contact_tests taut_physics_tests
mkdir -p "$folder/bin" "$folder/lib"
for program in "$@"; do
    [ -x "$build/bin/$program" ] || continue
    strip -o "$folder/bin/$program" "$build/bin/$program"
    ldd "$build/bin/$program" | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p'
done | sort -u | grep -vE '/(libc|libm|libdl|librt|libpthread|libgcc_s|libstdc\+\+|libcu[a-zA-Z]*|libnv[a-zA-Z]*)\.so' |
    while read -r library; do
        strip -o "$folder/lib/$(basename "$library")" "$library"
    done
arch=$(sed -n 's/^CMAKE_CUDA_ARCHITECTURES:[A-Z]*=\([0-9]*\).*/\1/p' "$build/CMakeCache.txt")
nvcc -std=c++17 -O2 -cudart shared -gencode "arch=compute_$arch,code=[sm_$arch,compute_$arch]" tools/gpu-probe.cu -o "$folder/bin/gpu-probe"
python3 tools/gpu-scenes.py --pack "$folder/scenes"
git describe --always --dirty >"$folder/commit"
du -sh "$folder"
