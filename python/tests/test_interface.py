"""Every function of the public headers has a counterpart in the package."""

import pathlib
import re

import pytest

import taut

ROOT = pathlib.Path(__file__).parents[2]
OTHERWISE = {  # what Python has in their place
    "taut_body_is_world": "WORLD",
    "taut_elasticity_name": "NAMES", "taut_matrix_name": "NAMES", "taut_preset_name": "NAMES", "taut_quality_name": "NAMES",
    "taut_shape_name": "NAMES",
    "taut_stage_name": "NAMES", "taut_vector_name": "NAMES",
    "taut_fabric_find": "fabrics()", "taut_rope_kind_find": "ropes()"}


def test_nothing_of_the_c_interface_is_missing():
    headers, binding = ROOT / "include" / "taut", ROOT / "python" / "binding"
    if not headers.is_dir():
        pytest.skip("installed without the sources")
    text = "\n".join(path.read_text() for path in headers.glob("*.h"))
    functions = set(re.findall(r"(?:TAUT_API|static inline) [^;(]*?\b(taut_\w+)\(", text))
    code = "\n".join(path.read_text() for path in binding.iterdir())
    adders = set(re.findall(r"taut_(?:scene|world)_add_(\w+)\(taut_\w+\* \w+, const taut_(\w+)_def\* def", text))
    made = {f"taut_scene_add_{name}" for name, _ in adders} | {f"taut_world_add_{name}" for name, _ in adders}
    missing = {name for name in functions if not re.search(rf"\b{name.removesuffix('_sized')}(?:_sized)?\b", code)} - made - set(OTHERWISE)
    assert len(functions) > 150 and not missing
    assert not {name for name in OTHERWISE if re.search(rf"\b{name}\b", code)}


def test_baumgarte():
    members = taut.baumgarte(0.1)
    assert members == {"baumgarte_velocity": pytest.approx(20), "baumgarte_position": pytest.approx(100)}
