"""Tests apps/blender/taut_addon.py in Blender: blender -b --python tests/app/blender_addon.py -- TAUT FOLDER

A sheet of Blender's, rotated and scaled, is held by a vertex group; a cube rises into it; a result of the tool is imported."""

import json
import math
import os
import subprocess
import sys

import bpy
import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../apps/blender"))
import taut_addon  # noqa: E402

PROGRAM, FOLDER = (os.path.abspath(a) for a in sys.argv[sys.argv.index("--") + 1:])


def shown(thing, frame):
    """World positions in a frame."""
    bpy.context.scene.frame_set(frame)
    points, mesh = taut_addon.evaluated(thing)
    bpy.data.meshes.remove(mesh)
    return points


def select(*things):
    bpy.ops.object.select_all(action="DESELECT")
    for thing in things:
        thing.select_set(True)
    bpy.context.view_layer.objects.active = things[0]


def sheet_and_cube():
    bpy.ops.mesh.primitive_cube_add(size=0.4, location=(0, 0, -0.3))
    cube = bpy.context.object
    cube.keyframe_insert("location", frame=1)
    cube.location.z = 0.9
    cube.keyframe_insert("location", frame=20)
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=16, y_subdivisions=16, size=1, location=(0, 0, 1), rotation=(0, 0, 0.5))
    sheet = bpy.context.object
    sheet.scale = (1, 2, 1)
    bpy.context.view_layer.update()
    group = sheet.vertex_groups.new(name="held")
    group.add([v.index for v in sheet.data.vertices if abs(v.co.y) > 0.499], 1.0, "REPLACE")
    group.add([v.index for v in sheet.data.vertices if abs(v.co.y) < 0.1], 0.2, "REPLACE")
    sheet.taut.pins = "held"
    return sheet, cube


def simulated():
    sheet, cube = sheet_and_cube()
    select(sheet, cube)
    assert bpy.ops.taut.simulate(program=PROGRAM, folder=os.path.join(FOLDER, "sheet")) == {"FINISHED"}
    start, end = shown(sheet, 1), shown(sheet, 30)
    held = numpy.array([abs(v.co.y) > 0.499 for v in sheet.data.vertices])
    numpy.testing.assert_allclose(end[held], start[held], atol=1e-5)
    under = numpy.abs(start[:, :2]).max(axis=1) < 0.1
    assert abs(end[under, 2].max() - 1.1) < 0.02 and end[under, 2].min() > 1.09, end[under, 2]  # on the cube's upper face
    assert end[~held, 2].min() > 0.9 and len(sheet.modifiers) == 1
    again = bpy.ops.taut.simulate(program=PROGRAM, folder=os.path.join(FOLDER, "sheet"))
    assert again == {"FINISHED"} and len(sheet.modifiers) == 1
    numpy.testing.assert_array_equal(shown(sheet, 30), end)


def refused():
    for name, value, sentence in (("fabric", "cardboard", "cardboard"), ("pins", "nosuch", "has no vertex group 'nosuch' for its pins")):
        bpy.ops.mesh.primitive_grid_add(size=1)
        setattr(bpy.context.object.taut, name, value)
        select(bpy.context.object)
        try:
            status = bpy.ops.taut.simulate(program=PROGRAM, folder=os.path.join(FOLDER, "refused"))
        except RuntimeError as error:  # what an operator reports as an error
            assert sentence in str(error), error
        else:
            raise AssertionError(status)


def imported():
    scene = {"taut": 1, "frames": 9, "objects": [{"name": "flag", "type": "cloth", "grid": {"size": [1, 1], "cells": [4, 4]},
                                                  "density": 0.2, "translate": [0, 2, 0]},
                                                 {"name": "cord", "type": "rope", "points": [[0, 0, 0], [1, 0, 0]], "segments": 7,
                                                  "density": 0.1}]}
    with open(os.path.join(FOLDER, "flag.json"), "w") as file:
        json.dump(scene, file)
    subprocess.run([PROGRAM, "run", "flag.json", "--export", "obj,pc2", "--out", "flag"], cwd=FOLDER, check=True)
    assert bpy.ops.taut.import_result(filepath=os.path.join(FOLDER, "flag", "flag.pc2")) == {"FINISHED"}
    flag = bpy.data.objects["flag"]
    bpy.context.view_layer.update()
    assert len(flag.data.vertices) == 25 and math.isclose(shown(flag, 1)[:, 2].max(), 2, abs_tol=1e-6)
    assert bpy.ops.taut.import_result(filepath=os.path.join(FOLDER, "flag", "cord.pc2")) == {"FINISHED"}
    cord = bpy.data.objects["cord"].data
    assert (len(cord.vertices), len(cord.edges), len(cord.polygons)) == (8, 7, 0)
    drop = 9.81 / 60**2 * 9 * 10 / 2
    assert abs(shown(flag, 10)[:, 2].mean() - (2 - drop)) < 0.02


def main():
    os.makedirs(FOLDER, exist_ok=True)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps = 30
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 30
    taut_addon.register()
    simulated()
    refused()
    imported()
    taut_addon.unregister()
    print("the add-on is good")


try:
    main()
except BaseException:
    import traceback

    traceback.print_exc()
    os._exit(1)
