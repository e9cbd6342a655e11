"""Small scenes that several tests use.

TAUT_WANTED names modules between blanks, without which all tests fail, where those that need them are skipped otherwise."""

import importlib
import os

import numpy
import pytest

import taut

for wanted in os.environ.get("TAUT_WANTED", "").split():
    importlib.import_module(wanted)


@pytest.fixture
def pendulum():
    """A mass of 2 kg at (1, 0, 0) on a hard link of 1 m."""
    scene = taut.Scene()
    scene.add_particles(positions=[[0, 0, 0], [1, 0, 0]], masses=[1, 2], fixed=[True, False])
    scene.add_distances(particles=[[0, 1]])
    return scene


def sheet_points(side):
    axis = numpy.linspace(0, 1, side)
    x, z = numpy.meshgrid(axis, axis, indexing="ij")
    return numpy.stack([x.ravel(), numpy.zeros(side * side), z.ravel()], axis=1)


def sheet_edges(side):
    number = numpy.arange(side * side).reshape(side, side)
    return numpy.concatenate([numpy.stack([number[:-1].ravel(), number[1:].ravel()], axis=1),
                              numpy.stack([number[:, :-1].ravel(), number[:, 1:].ravel()], axis=1)])


@pytest.fixture
def sheet():
    """A net of 6 x 6 points with soft links, held at two corners."""
    scene = taut.Scene()
    scene.add_particles(positions=sheet_points(6), mass=0.1)
    scene.add_distances(particles=sheet_edges(6), compliance=1e-3)
    scene.set_fixed([0, 5])
    return scene


@pytest.fixture
def cloth_file():
    """A cloth on a ball, in the format of scene files."""
    return {
        "taut": 1, "frames": 6,
        "objects": [
            {"name": "cloth", "type": "cloth", "grid": {"size": [0.5, 0.5], "cells": [6, 6]}, "translate": [0, 0.3, 0],
             "density": 0.2, "stretch": {"compliance": 1e-4}, "shear": {"compliance": 1e-2}, "contact": {"thickness": 0.01}},
            {"name": "ball", "type": "rigid", "sphere": {"radius": 0.1}, "mass": 0.5, "fixed": True, "contact": {}}],
        "constraints": [{"type": "pin", "at": {"object": "cloth", "vertices": [0]},
                         "motion": [{"time": 0.1, "translate": [0, 0.1, 0]}]}]}
