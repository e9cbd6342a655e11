"""Smooths a mesh that cuts itself where it does, until it does not.

Vertices near cuts go to the middle of their neighbours, but for those of borders: five times, then cuts are looked for again, and
every fifteen times a ring of neighbours more goes along. What is elsewhere stays where it was made.
"""
import re
import subprocess

SMOOTHINGS = 5
ROUNDS_PER_RING = 15
ROUNDS = 150


def find_cuts(check, path):
    """Vertices of edges and triangles that go through one another."""
    listed = subprocess.run([check, path, "--list"], capture_output=True, text=True, check=False).stdout
    found = re.findall(r"^edge (\d+) (\d+) cuts triangle (\d+) (\d+) (\d+)", listed, re.MULTILINE)
    return {int(n) for cut in found for n in cut}


def neighbours(count, triangles):
    """Of each vertex, and which ones are at a border."""
    sides, beside = {}, [set() for _ in range(count)]
    for t in triangles:
        for a, b in zip(t, t[1:] + t[:1]):
            sides[frozenset((a, b))] = sides.get(frozenset((a, b)), 0) + 1
            beside[a].add(b)
            beside[b].add(a)
    return [sorted(b) for b in beside], {n for side, times in sides.items() if times == 1 for n in side}


def smooth(points, beside, which):
    middle = {i: tuple(sum(points[j][a] for j in beside[i]) / len(beside[i]) for a in range(3)) for i in which}
    for i, place in middle.items():
        points[i] = place


def untangle(check, path, points, triangles, write):
    """Moves `points`, which `write` writes to `path`, until check_surface finds no cut there; how many it has moved."""
    beside, border = neighbours(len(points), triangles)
    moved = set()
    for rounds in range(ROUNDS):
        which = find_cuts(check, path)
        if not which:
            break
        for _ in range(1 + rounds // ROUNDS_PER_RING):
            which |= {j for i in which for j in beside[i]}
        which -= border
        for _ in range(SMOOTHINGS):
            smooth(points, beside, which)
        moved |= which
        write(path, points, triangles)
    return len(moved)
