"""Submits a sweep to OpenCue (PyOutline): a frame of the layer is a variant.

python -m taut.farm plan scene.json --set KEY=[VALUE,...] --out /shared/sweep
python examples/farm/opencue.py /shared/sweep"""

import json
import pathlib
import sys

import outline
import outline.cuerun
from outline.modules.shell import Shell


def main(out):
    count = len(json.loads((pathlib.Path(out) / "variants.json").read_text()))
    job = outline.Outline("taut-sweep", frame_range=f"0-{count - 1}")
    job.add_layer(Shell("variants", command=["python", "-m", "taut.farm", "run", str(pathlib.Path(out).absolute()), "--index",
                                             "#IFRAME#"], range=f"0-{count - 1}", threads=1))
    outline.cuerun.launch(job, use_pycuerun=False)


if __name__ == "__main__":
    main(sys.argv[1])
