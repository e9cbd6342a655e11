"""What needs packages that are not installed, and what is loaded when it is first used."""

import subprocess
import sys

import pytest


def run_without(packages, program):
    """In an interpreter that does not find these packages."""
    hidden = "import sys\n" + "".join(f"sys.modules[{name!r}] = None\n" for name in packages)
    return subprocess.run([sys.executable, "-c", hidden + program], capture_output=True, text=True)


def test_modules_are_there_without_an_import_of_their_own():
    pytest.importorskip("scipy")
    pytest.importorskip("pxr")
    program = ("import sys, taut; assert 'scipy' not in sys.modules and 'pxr' not in sys.modules\n"
               "taut.operators.linearise, taut.usd.read; assert taut.solve is taut.operators.solve and 'usd' in dir(taut)")
    done = run_without([], program)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("packages, use, sentence", [
    (["scipy"], "taut.operators", "taut.operators needs scipy, which is not installed: pip install 'taut[operators]'"),
    (["scipy"], "taut.solve", "pip install 'taut[operators]'"),
    (["scipy"], "import taut.operators", "pip install 'taut[operators]'"),
    (["pxr"], "taut.usd", "taut.usd needs pxr, which is not installed: pip install 'taut[usd]'"),
    (["pxr"], "import taut.usd", "pip install 'taut[usd]'"),
    (["xarray"], "taut.run({'taut': 1, 'frames': 1, 'objects': [{'name': 'a', 'type': 'particles', 'positions': [[0, 0, 0]]}]}).to_xarray()",
     "to_xarray needs xarray, which is not installed: pip install 'taut[xarray]'")])
def test_what_is_missing_has_the_name_of_its_extra(packages, use, sentence):
    done = run_without(packages, "import taut\n" + use)
    assert done.returncode == 1 and sentence in done.stderr.splitlines()[-1], done.stderr


def test_what_is_missing_is_no_attribute():
    done = run_without(["scipy", "pxr"], "import taut; print(hasattr(taut, 'operators'), hasattr(taut, 'usd'), hasattr(taut, 'nothing'))")
    assert done.stdout.split() == ["False"] * 3, done.stderr
