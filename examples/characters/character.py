#!/usr/bin/env python3
"""Scripted characters: closed meshes that are bent over their bones, as OBJ and PC2, and a garment that fits.

    character.py arm FOLDER       an upper arm and a forearm that bends; and a sleeve
    character.py walker FOLDER    hips, legs, trunk, head and arms, walking; and a shirt

A character is a smooth union of capsules around its bones. Its surface is found on a grid of cells (one vertex per cell
that the surface goes through: surface nets), smoothed, and put back onto the surface. Each vertex follows the bones near
it, by weights that fall with the distance. Frame 0 is the pose in which the garment fits. The folder receives NAME.obj,
NAME.pc2 (60 frames a second), shirt.obj or sleeve.obj, and the scene NAME.json.
"""
import argparse
import math
import os
import shutil
import struct

FPS = 60


# ---- vectors -----------------------------------------------------------------------------------------------------------

def add(a, b, s=1.0):
    return (a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2])


def sub(a, b):
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def rotation(axis, angle):
    """Rows of the matrix of a turn about one of the axes."""
    c, s = math.cos(angle), math.sin(angle)
    if axis == 0:
        return ((1, 0, 0), (0, c, -s), (0, s, c))
    if axis == 1:
        return ((c, 0, s), (0, 1, 0), (-s, 0, c))
    return ((c, -s, 0), (s, c, 0), (0, 0, 1))


def turn(m, v):
    return (dot(m[0], v), dot(m[1], v), dot(m[2], v))


def product(a, b):
    columns = list(zip(*b))
    return tuple(tuple(dot(row, column) for column in columns) for row in a)


# ---- bones -------------------------------------------------------------------------------------------------------------

class Bone:
    """A capsule whose radius goes from one end to the other, and the bone that carries it at its first end."""

    def __init__(self, name, parent, start, end, radii):
        self.name, self.parent, self.start, self.end, self.radii = name, parent, start, end, radii
        self.way = sub(end, start)
        self.length2 = dot(self.way, self.way)

    def distance(self, p):
        to = sub(p, self.start)
        part = min(max(dot(to, self.way) / self.length2, 0.0), 1.0)
        off = sub(to, tuple(part * w for w in self.way))
        return math.sqrt(dot(off, off)) - (self.radii[0] + part * (self.radii[1] - self.radii[0]))


def distance(bones, p, blend):
    """Smooth least of the distances: a little more is filled where bones meet."""
    all_of = [bone.distance(p) for bone in bones]
    least = min(all_of)
    return least - blend * math.log(sum(math.exp((least - d) / blend) for d in all_of))


def gradient(bones, p, blend):
    h = 1e-4
    slope = [(distance(bones, add(p, e, h), blend) - distance(bones, add(p, e, -h), blend)) / (2 * h)
             for e in ((1, 0, 0), (0, 1, 0), (0, 0, 1))]
    size = math.sqrt(dot(slope, slope)) or 1.0
    return tuple(s / size for s in slope)


# ---- surfaces ----------------------------------------------------------------------------------------------------------

BLOCK = 4  # cells a way that are looked at together


def values_on_grid(bones, cell, blend, offset):
    """Distances on a grid around all bones: (values by place, counts, origin); far from the surface their sign alone."""
    margin = 3 * cell + offset
    low = [min(min(b.start[a], b.end[a]) - max(b.radii) for b in bones) - margin for a in range(3)]
    high = [max(max(b.start[a], b.end[a]) + max(b.radii) for b in bones) + margin for a in range(3)]
    count = [int((high[a] - low[a]) / cell) + 2 for a in range(3)]
    def value(at):
        return distance(bones, tuple(low[a] + at[a] * cell for a in range(3)), blend) - offset

    values = {}
    reach = cell * BLOCK * math.sqrt(3) / 2 + 3 * blend
    blocks = [range(0, n, BLOCK) for n in count]
    for corner in ((i, j, k) for i in blocks[0] for j in blocks[1] for k in blocks[2]):
        middle = value(tuple(c + (BLOCK - 1) / 2 for c in corner))
        places = [range(corner[a], min(corner[a] + BLOCK, count[a])) for a in range(3)]
        for at in ((i, j, k) for i in places[0] for j in places[1] for k in places[2]):
            values[at] = middle if abs(middle) > reach else value(at)
    return values, count, low


CORNERS = [(i, j, k) for i in (0, 1) for j in (0, 1) for k in (0, 1)]
EDGES = [(a, b) for a in range(8) for b in range(a + 1, 8)
         if sum(x != y for x, y in zip(CORNERS[a], CORNERS[b])) == 1]


def cell_vertex(values, cell_at):
    """Mean of where the surface crosses the edges of a cell, in cells; None: it does not."""
    v = [values[cell_at[0] + c[0], cell_at[1] + c[1], cell_at[2] + c[2]] for c in CORNERS]
    if min(v) >= 0 or max(v) < 0:
        return None
    cross = []
    for a, b in EDGES:
        if (v[a] < 0) != (v[b] < 0):
            t = v[a] / (v[a] - v[b])
            cross.append(tuple(CORNERS[a][x] + t * (CORNERS[b][x] - CORNERS[a][x]) for x in range(3)))
    return tuple(cell_at[a] + sum(c[a] for c in cross) / len(cross) for a in range(3))


def surface(bones, cell, blend, offset):
    """Points and triangles, outwards, of the surface at this distance."""
    values, count, low = values_on_grid(bones, cell, blend, offset)
    number, points, triangles = {}, [], []
    for i in range(count[0] - 1):
        for j in range(count[1] - 1):
            for k in range(count[2] - 1):
                at = cell_vertex(values, (i, j, k))
                if at is not None:
                    number[i, j, k] = len(points)
                    points.append(tuple(low[a] + cell * at[a] for a in range(3)))
    for (i, j, k), inside in ((p, v < 0) for p, v in values.items()):
        for axis in range(3):
            step = [0, 0, 0]
            step[axis] = 1
            other = values.get((i + step[0], j + step[1], k + step[2]))
            if other is None or (other < 0) == inside:
                continue
            b, c = (axis + 1) % 3, (axis + 2) % 3
            ring = []
            for db, dc in ((-1, -1), (0, -1), (0, 0), (-1, 0)):
                q = [i, j, k]
                q[b] += db
                q[c] += dc
                ring.append(number[tuple(q)])
            ring = ring if inside else ring[::-1]
            triangles += split_shorter(points, ring)
    return points, triangles


def split_shorter(points, ring):
    a, b, c, d = ring
    one, two = sub(points[a], points[c]), sub(points[b], points[d])
    return [(a, b, c), (a, c, d)] if dot(one, one) <= dot(two, two) else [(a, b, d), (b, c, d)]


def neighbours_of(count, triangles):
    rings = [set() for _ in range(count)]
    for t in triangles:
        for x in range(3):
            rings[t[x]].update((t[(x + 1) % 3], t[(x + 2) % 3]))
    return rings


def relax(bones, points, triangles, blend, offset, rounds):
    """Each point half way to the middle of its neighbours, then back onto the surface."""
    rings = neighbours_of(len(points), triangles)
    for _ in range(rounds):
        moved = []
        for i, p in enumerate(points):
            middle = (0.0, 0.0, 0.0)
            for n in rings[i]:
                middle = add(middle, points[n], 1 / len(rings[i]))
            q = add(p, sub(middle, p), 0.5)
            for _ in range(2):
                q = add(q, gradient(bones, q, blend), offset - distance(bones, q, blend))
            moved.append(q)
        points = moved
    return points


def cut(points, triangles, keep):
    """The triangles all of whose corners are kept, without loose corners and without what hangs by one corner."""
    chosen = [t for t in triangles if all(keep(points[i]) for i in t)]
    while True:
        sides = {}
        for t in chosen:
            for x in range(3):
                side = tuple(sorted((t[x], t[(x + 1) % 3])))
                sides[side] = sides.get(side, 0) + 1
        inner = [t for t in chosen
                 if sum(sides[tuple(sorted((t[x], t[(x + 1) % 3])))] > 1 for x in range(3)) > 1]
        if len(inner) == len(chosen):
            break
        chosen = inner
    used = sorted({i for t in chosen for i in t})
    number = {i: n for n, i in enumerate(used)}
    return [points[i] for i in used], [tuple(number[i] for i in t) for t in chosen]


# ---- skinning ----------------------------------------------------------------------------------------------------------

def weights_of(bones, p, reach):
    """Shares of the bones near a point."""
    near = [math.exp(-max(b.distance(p), 0.0) ** 2 / reach ** 2) if b.distance(p) < 3 * reach else 0.0 for b in bones]
    near = [w if w > 1e-3 else 0.0 for w in near]
    total = sum(near)
    return [(i, w / total) for i, w in enumerate(near) if w > 0]


def place_bones(bones, pose, root):
    """(matrix, start now) of each bone: its own turn, in the axes of its parent."""
    placed = []
    for bone in bones:
        own = pose.get(bone.name, rotation(0, 0))
        if bone.parent is None:
            placed.append((own, add(bone.start, root)))
        else:
            parent = next(i for i, b in enumerate(bones) if b.name == bone.parent)
            matrix, start = placed[parent]
            placed.append((product(matrix, own), add(start, turn(matrix, sub(bone.start, bones[parent].start)))))
    return placed


def bend(bones, points, shares, pose, root):
    placed = place_bones(bones, pose, root)
    out = []
    for p, share in zip(points, shares):
        q = (0.0, 0.0, 0.0)
        for i, w in share:
            matrix, start = placed[i]
            q = add(q, add(start, turn(matrix, sub(p, bones[i].start))), w)
        out.append(q)
    return out


# ---- files -------------------------------------------------------------------------------------------------------------

def write_obj(path, points, triangles):
    with open(path, "w", encoding="ascii") as f:
        f.writelines("v %.9g %.9g %.9g\n" % p for p in points)
        f.writelines("f %d %d %d\n" % (t[0] + 1, t[1] + 1, t[2] + 1) for t in triangles)


def write_pc2(path, frames):
    with open(path, "wb") as f:
        f.write(struct.pack("<12siiffi", b"POINTCACHE2\0", 1, len(frames[0]), 0.0, 1.0, len(frames)))
        for points in frames:
            f.write(struct.pack("<%df" % (3 * len(points)), *(x for p in points for x in p)))


# ---- characters --------------------------------------------------------------------------------------------------------

def smooth(t):
    """From 0 to 1 between t = 0 and 1, at rest at both ends."""
    t = min(max(t, 0.0), 1.0)
    return t * t * (3 - 2 * t)


def arm_bones():
    return [Bone("upper", None, (0, 0, 0), (0.3, 0, 0), (0.05, 0.045)),
            Bone("fore", "upper", (0.3, 0, 0), (0.56, 0, 0), (0.045, 0.035))]


def arm_pose(time):
    """The elbow bends by 100 degrees in a second, and straightens again."""
    bent = math.radians(100) * (smooth(time) - smooth(time - 1.5))
    return {"fore": rotation(2, bent)}, (0, 0, 0)


def walker_bones():
    bones = [Bone("hips", None, (0, 0.96, 0), (0, 1.06, 0), (0.125, 0.12)),
             Bone("chest", "hips", (0, 1.06, 0), (0, 1.32, 0), (0.12, 0.125)),
             Bone("neck", "chest", (0, 1.32, 0), (0, 1.52, 0), (0.055, 0.055)),
             Bone("head", "neck", (0, 1.56, 0.01), (0, 1.66, 0.02), (0.085, 0.09))]
    for side, x in (("left", 1), ("right", -1)):
        lean = math.radians(40)
        shoulder = (x * 0.17, 1.38, 0)
        elbow = add(shoulder, (x * math.cos(lean), -math.sin(lean), 0), 0.27)
        wrist = add(elbow, (x * math.cos(lean), -math.sin(lean), 0), 0.25)
        bones += [Bone(side + " shoulder", "chest", (x * 0.04, 1.35, 0), shoulder, (0.08, 0.065)),
                  Bone(side + " arm", "chest", shoulder, elbow, (0.062, 0.045)),
                  Bone(side + " forearm", side + " arm", elbow, wrist, (0.045, 0.032)),
                  Bone(side + " thigh", "hips", (x * 0.1, 0.92, 0), (x * 0.115, 0.5, 0), (0.09, 0.062)),
                  Bone(side + " shin", side + " thigh", (x * 0.115, 0.5, 0), (x * 0.12, 0.08, 0), (0.06, 0.042))]
    return bones


def walker_pose(time):
    """From frame 0, arms away from the body, into a walk along z with one step in 0.6 s."""
    begin = smooth(time / 0.8)
    phase = math.pi * time / 0.6
    pose = {"chest": rotation(1, 0.1 * begin * math.sin(phase)), "hips": rotation(1, -0.06 * begin * math.sin(phase))}
    for side, x in (("left", 1), ("right", -1)):
        swing = x * math.sin(phase)
        knee = max(0.0, x * math.cos(phase)) * math.radians(50) + math.radians(6)
        lowered = x * -math.radians(28) * begin
        pose[side + " arm"] = product(rotation(0, begin * math.radians(22) * swing), rotation(2, lowered))
        pose[side + " forearm"] = rotation(1, -x * begin * math.radians(18))
        pose[side + " thigh"] = rotation(0, -begin * math.radians(24) * swing)
        pose[side + " shin"] = rotation(0, begin * knee)
    way = 1.1 * max(0.0, time - 0.4) * smooth(time / 0.8)
    return pose, (0, 0.012 * begin * (math.cos(2 * phase) - 1), way)


def in_sleeve(p):
    return 0.06 < p[0] < 0.5


def in_shirt(p):
    """Between hem, neck and sleeves."""
    along = (abs(p[0]) - 0.17) * math.cos(math.radians(40)) - (p[1] - 1.38) * math.sin(math.radians(40))
    return p[1] > 1.0 and not (abs(p[0]) < 0.1 and p[1] > 1.45) and (abs(p[0]) < 0.15 or along < 0.16)


CHARACTERS = {"arm": (arm_bones, arm_pose, "sleeve", in_sleeve), "walker": (walker_bones, walker_pose, "shirt", in_shirt)}
CLEARANCE = 0.0055  # m, from the body to the middle of the cloth
BLEND = 0.008  # m


def make(name, folder, frames, cell, cloth_cell):
    bones_of, pose_at, garment, keep = CHARACTERS[name]
    bones = bones_of()
    os.makedirs(folder, exist_ok=True)
    points, triangles = surface(bones, cell, BLEND, 0.0)
    points = relax(bones, points, triangles, BLEND, 0.0, 4)
    shares = [weights_of(bones, p, 0.04) for p in points]
    write_obj(os.path.join(folder, name + ".obj"), points, triangles)
    write_pc2(os.path.join(folder, name + ".pc2"),
              [bend(bones, points, shares, *pose_at(f / FPS)) for f in range(frames + 1)])
    points, triangles = surface(bones, cloth_cell, BLEND, CLEARANCE)
    points = relax(bones, points, triangles, BLEND, CLEARANCE, 4)
    write_obj(os.path.join(folder, garment + ".obj"), *cut(points, triangles, keep))
    shutil.copy(os.path.join(os.path.dirname(os.path.abspath(__file__)), name + ".json"), folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=sorted(CHARACTERS))
    parser.add_argument("folder")
    parser.add_argument("--frames", type=int, default=240)
    parser.add_argument("--cell", type=float, default=0.025, help="m, about the length of the character's edges")
    parser.add_argument("--cloth-cell", type=float, default=0.032, help="m, about the length of the garment's edges")
    a = parser.parse_args()
    make(a.name, a.folder, a.frames, a.cell, a.cloth_cell)


if __name__ == "__main__":
    main()
