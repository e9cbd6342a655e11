#!/bin/sh
#SBATCH --job-name=taut
#SBATCH --cpus-per-task=1
#SBATCH --requeue
#SBATCH --time=01:00:00
# One variant of a sweep per task of an array. What is requeued, preempted or out of time goes on from its last checkpoint:
#
#   python -m taut.farm plan scene.json --set KEY=[VALUE,...] --out sweep        prints how many there are
#   sbatch --array=0-N examples/farm/slurm.sh sweep
set -eu
exec python -m taut.farm run "$1" --index "$SLURM_ARRAY_TASK_ID"
