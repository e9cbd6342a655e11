"""Scenes of rigid boxes that every solver can be given: boxes, planes, one coefficient of friction."""
import math
import random
from dataclasses import dataclass, field

GRAVITY = 9.81
FRAME = 1 / 60  # s


@dataclass
class Box:
    sides: tuple  # m
    mass: float  # kg
    at: tuple  # centre, m
    orientation: tuple = (1.0, 0.0, 0.0, 0.0)  # w, x, y, z


@dataclass
class Scene:
    """y is up. A plane is (normal, point): what is below it is solid."""
    name: str
    boxes: list
    planes: list = field(default_factory=lambda: [((0, 1, 0), (0, 0, 0))])
    friction: float = 0.5
    frames: int = 120


def turned_about_y(angle):
    return (math.cos(angle / 2), 0.0, math.sin(angle / 2), 0.0)


def tower(count=15, side=0.2, seed=1):
    """Cubes on one another, each shifted by up to 5 mm and turned by up to 17 degrees."""
    draw = random.Random(seed)
    return Scene("tower", [
        Box((side,) * 3, 500 * side**3, (draw.uniform(-.005, .005), side * (i + .5), draw.uniform(-.005, .005)),
            turned_about_y(draw.uniform(-.3, .3))) for i in range(count)])


def pyramid(rows=10, sides=(0.4, 0.2, 0.2)):
    """Bricks, each on two of the row below."""
    mass = 500 * sides[0] * sides[1] * sides[2]
    return Scene("pyramid", [
        Box(sides, mass, (sides[0] * (c + .5 * r), sides[1] * (r + .5), 0)) for r in range(rows) for c in range(rows - r)])


def heavy(loads=(0.1, 0.1, 0.1, 0.1, 100.0), side=0.2):
    """A heavy cube on light ones."""
    return Scene("heavy on light", [Box((side,) * 3, m, (0, side * (i + .5), 0)) for i, m in enumerate(loads)])


def pile(count=500, side=0.1, row=8, half_width=0.6, seed=3):
    """Cubes of random orientation fall into a bin of planes."""
    draw = random.Random(seed)
    step = 1.3 * side
    boxes = []
    for i in range(count):
        at = ((i % row - (row - 1) / 2) * step + draw.uniform(-.1, .1) * side, side + step * (i // row**2),
              (i // row % row - (row - 1) / 2) * step + draw.uniform(-.1, .1) * side)
        q = [draw.gauss(0, 1) for _ in range(4)]
        length = math.sqrt(sum(x * x for x in q))
        boxes.append(Box((side,) * 3, 500 * side**3, at, tuple(x / length for x in q)))
    walls = [((sign if axis == 0 else 0, 0, sign if axis == 2 else 0),
              (-sign * half_width if axis == 0 else 0, 0, -sign * half_width if axis == 2 else 0))
             for axis in (0, 2) for sign in (1, -1)]
    return Scene("pile", boxes, [((0, 1, 0), (0, 0, 0))] + walls)


def small_pile():
    scene = pile(count=12, row=2, half_width=0.2)
    scene.name = "small pile"
    return scene


SCENES = {"tower": tower, "pyramid": pyramid, "heavy": heavy, "pile": pile, "small-pile": small_pile}
