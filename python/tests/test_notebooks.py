"""Executes the notebooks of examples/notebooks, which check their own results."""

import pathlib

import pytest

ROOT = pathlib.Path(__file__).parents[2]
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")
pytest.importorskip("scipy")
nbformat = pytest.importorskip("nbformat")


@pytest.mark.parametrize("name", ["convergence", "identify_stiffness"])
def test_a_notebook(name):
    path = ROOT / "examples" / "notebooks" / f"{name}.ipynb"
    if not path.is_file():
        pytest.skip("installed without the sources")
    notebook = nbformat.read(path, 4)
    assert not any(cell.get("outputs") for cell in notebook.cells)  # they are made, not kept
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(path.parent)}}).execute()
