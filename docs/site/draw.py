#!/usr/bin/env python3
"""Draws frames of objects that `taut run --export obj` wrote, side by side, as one SVG. Standard library only.

draw.py FOLDER --frames N,N,... --objects NAME,... --out FILE.svg [--turn DEGREES] [--tilt DEGREES] [--gap METRES]

The camera looks along -z, turned about y and tilted about x, without perspective. Triangles are painted from back to
front, those of an object 6 cm behind those of the one named before it, and shaded by their direction.
docs/site/pictures.sh makes the pictures of the tutorial."""
import argparse
import math
import pathlib

COLOURS = [(214, 93, 60), (70, 120, 190), (120, 150, 90), (150, 150, 150)]
PIXELS = 220  # per metre


def read_obj(path):
    vertices, faces = [], []
    for line in path.read_text(encoding="utf-8").splitlines():
        words = line.split()
        if words[:1] == ["v"]:
            vertices.append(tuple(map(float, words[1:4])))
        elif words[:1] == ["f"]:
            faces.append([int(word.split("/")[0]) - 1 for word in words[1:]])
    return vertices, faces


def turn_to_camera(point, turn, tilt):
    x, y, z = point
    x, z = x * math.cos(turn) + z * math.sin(turn), -x * math.sin(turn) + z * math.cos(turn)
    y, z = y * math.cos(tilt) - z * math.sin(tilt), y * math.sin(tilt) + z * math.cos(tilt)
    return x, y, z


def shade(points, colour):
    """The colour of a triangle lit from the upper left front; both of its sides look the same."""
    a, b = ([q - p for p, q in zip(points[0], points[i])] for i in (1, 2))
    normal = (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])
    length = math.sqrt(sum(n * n for n in normal)) or 1
    light = abs(-0.35 * normal[0] + 0.5 * normal[1] + 0.8 * normal[2]) / length
    return "#" + "".join(f"{int(c * (0.35 + 0.65 * round(24 * light) / 24)):02x}" for c in colour)


def find_triangles(options, frame):
    for number, name in enumerate(options.objects.split(",")):
        vertices, faces = read_obj(pathlib.Path(options.folder) / f"{name}.{frame:04d}.obj")
        seen = [turn_to_camera(v, math.radians(options.turn), math.radians(options.tilt)) for v in vertices]
        for face in faces:
            points = [seen[i] for i in face]
            depth = sum(p[2] for p in points) / len(points) - 0.06 * number
            yield depth, points, shade(points, COLOURS[number % len(COLOURS)])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--frames", required=True)
    parser.add_argument("--objects", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--turn", type=float, default=25)
    parser.add_argument("--tilt", type=float, default=15)
    parser.add_argument("--gap", type=float, default=0.15)
    options = parser.parse_args()

    shapes, left, low, high = [], 0.0, math.inf, -math.inf
    for frame in map(int, options.frames.split(",")):
        triangles = sorted(find_triangles(options, frame), key=lambda item: item[0])
        xs = [p[0] for _, points, _ in triangles for p in points]
        ys = [p[1] for _, points, _ in triangles for p in points]
        low, high = min(low, *ys), max(high, *ys)
        shapes += [([(p[0] - min(xs) + left, p[1]) for p in points], colour) for _, points, colour in triangles]
        left += max(xs) - min(xs) + options.gap
    width, height = (left - options.gap) * PIXELS, (high - low) * PIXELS
    names = {colour: f"c{number}" for number, colour in enumerate(sorted({colour for _, colour in shapes}))}
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-4 -4 {width + 8:.0f} {height + 8:.0f}" '
             f'width="{width + 8:.0f}" stroke-width=".4" stroke-linejoin="round">',
             "<style>" + "".join(f".{name}{{fill:{colour};stroke:{colour}}}" for colour, name in names.items()) + "</style>"]
    for points, colour in shapes:
        path = "".join(f"{'ML'[i > 0]}{x * PIXELS:.1f},{(high - y) * PIXELS:.1f}" for i, (x, y) in enumerate(points))
        lines.append(f'<path d="{path}z" class="{names[colour]}"/>')
    pathlib.Path(options.out).write_text("\n".join(lines + ["</svg>", ""]), encoding="utf-8")


if __name__ == "__main__":
    main()
