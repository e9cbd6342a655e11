#!/bin/sh
# The CUDA tests of the release build on a machine without a GPU: ptxemu executes the real kernels on the CPU. Does
# nothing where ptxemu or nvcc is missing.
set -eu
cd "$(dirname "$0")/.."
emulator=../shared/tools/ptxemu/cuda-on-cpu
if [ ! -x "$emulator" ] || ! command -v nvcc >/dev/null; then
    echo "No ptxemu or no nvcc: the CUDA tests need a GPU."
    exit 0
fi
# Threads of OpenMP that spin while they wait would take the time of the other test's. Memory that ptxemu gives back
# after each launch and asks for again before the next would cost more than the launches.
export OMP_WAIT_POLICY=passive MALLOC_TRIM_THRESHOLD_=1000000000 MALLOC_MMAP_THRESHOLD_=1000000000 \
    MALLOC_TOP_PAD_=67108864

# run OPTIONS TESTS [EXCEPT]: options of the emulator, and which tests, as regular expressions.
run() {
    echo "CUDA on the CPU: ${1:-plain}"
    (
        # shellcheck disable=SC2086 # several options
        settings=$("$emulator" $1 --env)
        eval "$settings"
        ctest --preset release -j "$(nproc)" -R "$2" -E "${3:-^$}"
    )
}

# Simulations of hundreds of steps or of large scenes, more than ten seconds each. What is particular to CUDA in them
# (kinds, schemes, preconditioners, redundant rows) the rest has in small.
long='^(real_data|cloth|membrane|pendulum)\.|^soft\.(bar|spinning|turned|hard|volume)|^reference\.(moorings|rope)'
long="$long"'|^chain\.swings|^oscillator\.(un|over|crit|mid)|^robust\.(redundant|contradictory|equal)'
long="$long"'|^(formulations|forces|solids)\.|^mechanisms\.[a-mo-z]|^rolling\.ecc|^rolling\.soft_motor/|^rods\.beams|^bounds\.heavy|^bounds\.ball_b|^steps\.(linear|angular|far|substeps)|^oracle_step\.every|^determinism\.block|^graph_stages\.no_pre|^contact_rope'
# One name each: ctest takes no more than nine groups in an expression.
for one in coupling.body_on_a_cloth coupling.free coupling.mapped mapped_masses.masses mapped_masses.spin \
    rod_motion.beam rod_motion.light rod_motion.shaft linkages.box linkages.three linkages.light_bars_on_hinges \
    linkages.torque linkages.universal joints.heavy joints.damped joints.two joints.ball \
    rods.end_moment_closes_a_circle/; do
    long="$long|^$one"
done
run "" '/cuda$|^Backends\.' "$long"
for program in taut_device_tests "taut-bench-cuda --smoke"; do
    # shellcheck disable=SC2086 # a program and its arguments
    "$emulator" -- build/release/bin/$program
done

# A garment that falls on a mesh, with itself and the mesh looked at from outside. 77: the data is not here.
if command -v python3 >/dev/null; then
    python3 benchmarks/garments/table.py --taut "$emulator -- build/release/bin/taut" --backend cuda \
        --check build/release/bin/check_surface --out build/release/garments-by-cuda --garments flag \
        --colliders icosahedron --frames 24 --every 8 || [ $? = 77 ]
fi

# hash OPTIONS: of where every kind of scene ends.
hash() {
    # shellcheck disable=SC2086 # several options
    "$emulator" $1 -- build/release/bin/taut_step_every_kind --steps 2 | grep '^all'
}
plain=$(hash "")

# Every kernel, in orders of execution that a GPU may choose, too.
every='^(calls|streams|ranges)\..*/cuda$|^multilevel_device.*/cuda$|^stages\.(c|d|h|a|b|l|targets|tet|membranes|moving|redundant).*/cuda$'
every="$every"'|^determinism\.(jacobi|chebyshev|graph_jacobi|condensed|aggregates|parts)/cuda$|^operators\.(compose|right).*/cuda$'
every="$every"'|^graph_stages\.(implicit|changed_(forces|goals))/cuda$|^contact_(free|moving|search|surfaces|growth)\..*/cuda$'
for options in --race --lazy "--seed 1" "--lazy --seed 2"; do
    run "$options" "$every"
    [ "$(hash "$options")" = "$plain" ] || {
        echo "taut_step_every_kind ends elsewhere with $options"
        exit 1
    }
done
apart='^calls\.(a_step_is|changes_are).*/cuda$|^stages\.(bends|tet_strains|targets|condensed).*/cuda$'
run "--split 7" "$apart"'|^graph_stages\.changed_goals'
