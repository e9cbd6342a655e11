#!/bin/sh
# Everything that a machine with a GPU can check, in one command and without a network: a probe of what graphs can do and
# what they cost there, with a line for the devices of a cost model; build for the device, all tests on it, the sanitizers, equal results from run to run, and the benchmark tables.
#
#   tools/gpu-check.sh [--out DIR] [--build DIR] [--quick] [--googletest PATH] [--eigen PATH] [--jobs N]
#
#   --out DIR          logs, tables and summary.json; default gpu-check
#   --build DIR        build folder; default OUT/build
#   --quick            few tests, small scenes, few runs
#   --googletest PATH  source folder of GoogleTest, where it is not installed
#   --eigen PATH       folder with Eigen's headers, where they are not installed
#   --jobs N           compilers and tests at a time; default as many as cores
#
# A step that fails is no reason to leave the next one out; the exit status is 1 if any failed. With TAUT_GPU_CHECK_RUN,
# words that are put before every program, the script can be tried on a machine without a GPU:
#   TAUT_GPU_CHECK_RUN="../shared/tools/ptxemu/cuda-on-cpu --" tools/gpu-check.sh --quick
# Sanitizers count as not available then.
set -u
out=gpu-check build='' quick='' googletest='' eigen='' jobs='' built='' seconds=''
only=probe,determinism,tests,scenes,backends,device tests='*/cuda:assembled*:multilevel_device*:device*' shard_seconds=60 scene_seconds=10
usage() {
    echo "gpu-check: $1; see the head of $0" >&2
    exit 2
}
while [ $# -gt 0 ]; do
    case $1 in
    --quick)
        quick=yes
        shift
        continue
        ;;
    --out | --build | --googletest | --eigen | --jobs | --built | --seconds | --only | --tests | --shard-seconds | --scene-seconds) [ $# -gt 1 ] || usage "'$1' needs a value" ;;
    *) usage "'$1' is not an option" ;;
    esac
    case $1 in
    --out) out=$2 ;;
    --build) build=$2 ;;
    --googletest) googletest=$(cd "$2" && pwd) || exit 2 ;;
    --eigen) eigen=$(cd "$2" && pwd) || exit 2 ;;
    --jobs) jobs=$2 ;;
    --built) built=$(cd "$2" && pwd) || exit 2 ;;
    --seconds) seconds=$2 ;;
    --only) only=$2 ;;
    --tests) tests=$2 ;;
    --shard-seconds) shard_seconds=$2 ;;
    --scene-seconds) scene_seconds=$2 ;;
    esac
    shift 2
done
mkdir -p "$out" "${build:=$out/build}" || exit 2
out=$(cd "$out" && pwd)
build=$(cd "$build" && pwd)
cd "$(dirname "$0")/.." || exit 2
jobs=${jobs:-$(nproc)}
run=${TAUT_GPU_CHECK_RUN:-}
bin=${built:-$build}/bin
began=$(date +%s)

# ---- the record of steps ----------------------------------------------------------------------------------------

failures=0
steps=$out/steps.txt # one JSON object a line; summary.json is made of it
: >"$steps"

json_text() { printf '"%s"' "$(printf '%s' "$1" | tr '\n\t' '  ' | sed 's/\\/\\\\/g; s/"/\\"/g')"; }

# record STEP STATUS SECONDS COMMAND NOTE FIGURES: FIGURES are members of a JSON object.
record() {
    [ "$2" != failed ] || failures=$((failures + 1))
    printf '{"step": "%s", "status": "%s", "seconds": %s, "command": %s, "note": %s, "figures": {%s}}\n' \
        "$1" "$2" "$3" "$(json_text "$4")" "$(json_text "$5")" "$6" >>"$steps"
    printf '%-22s %-13s %6s s  %s\n' "$1" "$2" "$3" "${5:-$6}"
}

# Runs a command and says it in the log.
shown() {
    echo "+ $*"
    "$@"
}

# Seconds that are left, at most $1.
left() {
    rest=$((${seconds:-86400} - $(date +%s) + began))
    echo $((rest < $1 ? rest : $1))
}

# step NAME: runs the function step_NAME into NAME.log, then records the first command in the log, and the figures.
step() {
    name=$1
    begin=$(date +%s)
    if [ "$(left 5)" -lt 5 ]; then
        record "$name" "no time" 0 "" "" ""
        return
    fi
    "step_$name" >"$out/$name.log" 2>&1
    status=$?
    command=$(sed -n 's/^+ //p' "$out/$name.log" | head -n 1)
    note=''
    [ "$status" -eq 0 ] || note="exit status $status; see $name.log: $(tail -n 1 "$out/$name.log")"
    figures=$(figures_of "$name")
    problem=$(problem_of "$name")
    if [ "$status" -ne 0 ] || [ -n "$problem" ]; then
        record "$name" failed $(($(date +%s) - begin)) "$command" "${note:-$problem}" "$figures"
    else
        record "$name" passed $(($(date +%s) - begin)) "$command" "" "$figures"
    fi
}

# Values of the column called $2 in the CSV file $1; those that come before any quoted one.
column() {
    awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; next }
                          at && $at != "" { print $at }' "$1" 2>/dev/null
}
least() { sort -g | head -n 1 | grep . || echo null; }
most() { sort -g | tail -n 1 | grep . || echo null; }

count() { grep -c -- "$1" "$2" || true; }

figures_of() {
    log=$out/$1.log
    case $1 in
    probe) printf '"device": %s' "$(json_text "$(tail -n 1 "$log")")" ;;
    tests)
        printf '"passed": %s, "failed": %s, "skipped": %s, "skipped_cuda": %s' "$(count ' Passed ' "$log")" \
            "$(count '\*\*\*\(Failed\|Timeout\|Exception\)' "$log")" "$(count '\*\*\*Skipped' "$log")" \
            "$(grep -c '\(/cuda\|assembled\.\).*\*\*\*Skipped' "$log" || true)"
        ;;
    shards)
        printf '"passed": %s, "failed": %s, "skipped": %s, "unfinished": %s' "$(count '^\[       OK' "$log")" \
            "$(count '^\[  FAILED  \].*ms)' "$log")" "$(count '^\[  SKIPPED \].*ms)' "$log")" \
            "$(($(count '^\[ RUN' "$log") - $(count '^\[.*ms)$' "$log")))"
        ;;
    scenes)
        printf '"scenes": %s, "speed_up_least": %s, "speed_up_most": %s, "apart_first_most": %s' \
            "$(column "$out/scenes/scenes.csv" scene | grep -c .)" "$(column "$out/scenes/scenes.csv" speed_up | least)" \
            "$(column "$out/scenes/scenes.csv" speed_up | most)" "$(column "$out/scenes/scenes.csv" apart_first | most)"
        ;;
    memcheck | racecheck | initcheck | synccheck)
        printf '"summary": %s' "$(json_text "$(grep 'SUMMARY' "$log" | tail -n 1)")"
        ;;
    determinism)
        hashes=$(sed -n 's/^all *//p' "$log")
        printf '"runs": %s, "distinct": %s, "hash": "%s"' "$(count '^all' "$log")" \
            "$(echo "$hashes" | sort -u | grep -c .)" "$(echo "$hashes" | head -n 1)"
        ;;
    backends)
        printf '"rows": %s, "step_speed_up_least": %s, "step_speed_up_most": %s' \
            "$(column "$out/backends.csv" scene | grep -c .)" "$(column "$out/backends.csv" step_speed_up | least)" \
            "$(column "$out/backends.csv" step_speed_up | most)"
        ;;
    device)
        printf '"rows": %s, "copy_cache_gb_s": %s, "copy_memory_gb_s": %s, "copy_fraction_most": %s, ' \
            "$(column "$out/device.csv" scene | grep -c .)" "$(column "$out/device.csv" cache_gb_s | most)" \
            "$(column "$out/device.csv" memory_gb_s | most)" "$(column "$out/device.csv" copy_fraction | most)"
        printf '"iteration_us_least": %s, "loop_overhead_most": %s, "synchronisations_most": %s' \
            "$(column "$out/device.csv" loop_us | least)" "$(column "$out/device.csv" loop_overhead | most)" \
            "$(column "$out/device.csv" synchronisations | most)"
        ;;
    esac
}

# What is wrong although the command succeeded.
problem_of() {
    case $1 in
    tests) figures_of tests | grep -q '"skipped_cuda": 0' || echo "tests of the CUDA backend were skipped: no device" ;;
    shards) figures_of shards | grep -q '"failed": 0,' || grep '^\[  FAILED  \].*ms)' "$out/shards.log" | tr '\n' ' ' ;;
    determinism) figures_of determinism | grep -q '"distinct": 1,' || echo "runs differ" ;;
    esac
}

commit() { cat "$built/commit" 2>/dev/null || git describe --always --dirty 2>/dev/null; }

# The steps as a table for documents.
write_table() {
    {
        printf '%s, driver %s, commit %s, %s\n\n' "$(query name)" "$(query driver_version)" "$(commit)" "$(date -u +%Y-%m-%d)"
        printf '| step | status | s | figures |\n|---|---|---|---|\n'
        sed 's/^{"step": "\([^"]*\)", "status": "\([^"]*\)", "seconds": \([^,]*\), .*"figures": {\(.*\)}}$/| \1 | \2 | \3 | \4 |/' "$steps"
    } >"$out/table.md"
}

write_summary() {
    {
        printf '{"commit": %s, "date": "%s", "device": %s, "driver": %s, "quick": %s, "launcher": %s, "failed": %s,\n' \
            "$(json_text "$(commit)")" "$(date -u +%Y-%m-%dT%H:%M:%SZ)" \
            "$(json_text "$(query name)")" "$(json_text "$(query driver_version)")" \
            "$([ -n "$quick" ] && echo true || echo false)" "$(json_text "$run")" "$failures"
        printf '"steps": [\n'
        sed '$!s/$/,/' "$steps"
        printf ']}\n'
    } >"$out/summary.json"
}

# ---- steps ------------------------------------------------------------------------------------------------------

# Of the first GPU; nothing without nvidia-smi.
query() { nvidia-smi --query-gpu="$1" --format=csv,noheader 2>/dev/null | head -n 1; }

# PTX of the oldest device, which every later one runs.
# shellcheck disable=SC2086 # a launcher of several words, or none; here and below
step_probe() {
    nvcc -std=c++17 -O2 -cudart shared -arch=compute_75 -code=compute_75 tools/gpu-probe.cu -o "$build/gpu-probe" &&
        shown $run "$build/gpu-probe" ${quick:+4}
}

step_configure() {
    capability=$(query compute_cap | tr -d '. ')
    # Machine code for the device and PTX of the same; PTX of the oldest where the device does not say what it is.
    shown cmake -S . -B "$build" -DCMAKE_BUILD_TYPE=Release -DTAUT_CUDA=ON -DTAUT_WERROR=OFF -DTAUT_BUILD_APPS=AUTO \
        -DTAUT_CUDA_LINEINFO=ON \
        -DCMAKE_CUDA_ARCHITECTURES="${capability:-75-virtual}" \
        ${googletest:+"-DTAUT_GOOGLETEST=$googletest"} ${eigen:+"-DTAUT_EIGEN=$eigen"}
}

step_build() { shown cmake --build "$build" -j "$jobs"; }

# shellcheck disable=SC2086
step_tests() {
    shown $run ctest --test-dir "$build" -j "$jobs" ${quick:+-R '^(operators|lifecycle|assembled|device)\.'}
}

step_sanitizer() {
    shown compute-sanitizer --tool "$name" --error-exitcode 9 --print-limit 20 "$bin/taut_step_every_kind" --steps 2
}
for tool in memcheck racecheck initcheck synccheck; do
    eval "step_$tool() { step_sanitizer; }"
done

# Where time is short, for a quarter of it.
step_determinism() {
    until=$(($(date +%s) + $(left 86400) / 4))
    runs=${quick:+3}${built:+3}
    cloth=${quick:+8}
    for _ in $(seq "${runs:-20}"); do
        [ -z "$seconds" ] || [ "$(date +%s)" -lt "$until" ] || break
        # shellcheck disable=SC2086
        shown timeout "$(left 3600)" $run "$bin/taut_step_every_kind" --steps 3 --cloth "${cloth:-100}" || return 1
    done
}

# shellcheck disable=SC2086
step_backends() {
    shown timeout "$(left 3600)" $run "$bin/taut-bench" --backend cpu,cuda --csv "$out/backends.csv" \
        ${quick:+--sizes 100 --preconditioner jacobi --repeats 1 --threads 1}
}

# shellcheck disable=SC2086
step_device() { shown timeout "$(left 3600)" $run "$bin/taut-bench-cuda" --csv "$out/device.csv" ${quick:+--smoke}; }

# ---- steps of programs that were built elsewhere ------------------------------------------------------------------

# shard PROGRAM NUMBER: one process of its tests. A test that does not end takes those behind it with it, no more.
# shellcheck disable=SC2086
shard() {
    GTEST_TOTAL_SHARDS=$jobs GTEST_SHARD_INDEX=$2 timeout "$(left "$shard_seconds")" \
        $run "$bin/$1" --gtest_filter="$tests" >"$out/shards/$1.$2.log" 2>&1
}

# Tests that failed are in the log of their shard.
step_shards() {
    mkdir -p "$out/shards"
    for program in taut_device_tests taut_cuda_tests taut_unit_tests taut_api_tests taut_contact_tests taut_physics_tests; do
        [ -x "$bin/$program" ] || continue
        echo "+ $program --gtest_filter=$tests"
        [ "$(left 5)" -lt 5 ] && break
        for number in $(seq 0 $((jobs - 1))); do
            shard "$program" "$number" &
        done
        wait
        cat "$out/shards/$program."*.log
    done
}

# shellcheck disable=SC2086
step_probe_built() { shown $run "$bin/gpu-probe" ${quick:+4}; }

step_scenes() {
    shown timeout "$(left 3600)" python3 tools/gpu-scenes.py --taut "$run $bin/taut" --out "$out/scenes" \
        --seconds "$scene_seconds" ${quick:+--frames 2} "$built"/scenes/*.json
}

if [ -n "$built" ]; then
    export LD_LIBRARY_PATH="$built/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
    for wanted in probe determinism tests scenes backends device; do
        case ,$only, in
        *,"$wanted",*) ;;
        *) continue ;;
        esac
        case $wanted in
        probe) eval 'step_probe() { step_probe_built; }' ;;
        tests) wanted=shards ;;
        esac
        step "$wanted"
    done
    write_summary
    write_table
    echo "$failures failed; $out/summary.json, $out/table.md"
    [ "$failures" -eq 0 ]
    exit
fi

step probe
step configure
step build
step tests
for tool in memcheck racecheck initcheck synccheck; do
    if [ -n "$run" ]; then
        record "$tool" "not available" 0 "" "programs run under a launcher" ""
    elif command -v compute-sanitizer >/dev/null; then
        step "$tool"
    else
        record "$tool" failed 0 "" "compute-sanitizer was not found" ""
    fi
done
step determinism
step backends
step device
write_summary
write_table
[ -z "$quick" ] || echo "A quick check: no figure of it is a measurement."
echo "$failures failed; $out/summary.json"
[ "$failures" -eq 0 ]
