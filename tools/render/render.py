#!/usr/bin/env python3
"""Renders the picture at the head of README.md: simulates examples/scenes/hammock.json and draws one frame of it.

    python3 -m venv out/render-venv
    out/render-venv/bin/pip install -r tools/render/requirements.txt
    out/render-venv/bin/python tools/render/render.py --taut build/release/bin/taut

This writes docs/pictures/readme.png; with --animation it writes docs/pictures/readme.webp, which moves, instead. The
same build of taut gives the same picture. --samples 8 --width 640 gives a quick draft.

The renderer is Mitsuba 3 in its variant scalar_rgb, which needs no GPU and no LLVM. Cloth and soft bodies are drawn
after two steps of Loop's subdivision, ropes and rods as tubes along splines through their vertices.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import mitsuba as mi
import numpy as np
from PIL import Image

mi.set_variant("scalar_rgb")

ROOT = pathlib.Path(__file__).resolve().parents[2]
PICTURES = ROOT / "docs" / "pictures"
SCENE = ROOT / "examples" / "scenes" / "hammock.json"
CAMERA = {"origin": [1.9, 2.35, 5.75], "target": [-0.02, 0.49, 0], "up": [0, 1, 0]}
FIELD_OF_VIEW = 25
FRAMES = 60  # of the animation


# ---- simulation ------------------------------------------------------------------------------------------------------

def simulate(taut, frames, folder):
    """Runs the scene; leaves an OBJ file for each object and frame in the folder."""
    stats = folder / "stats.jsonl"
    command = [taut, "run", SCENE, "--backend", "cpu", "--threads", "1", "--frames", str(frames), "--export", "obj",
               "--out", folder, "--stats", stats]
    subprocess.run(command, check=True)
    for line in stats.read_text().splitlines():
        frame = json.loads(line)
        if frame["outcome"] != "converged" or frame["cuts"] > 0:
            print(f"frame {frame['frame']}: {frame['outcome']}, {frame['cuts']} intersections", file=sys.stderr)


def read_obj(path):
    points, triangles = [], []
    for line in path.read_text().splitlines():
        word, *rest = line.split()
        if word == "v":
            points.append([float(x) for x in rest])
        elif word == "f":
            triangles.append([int(x.split("/")[0]) - 1 for x in rest])
    return np.array(points), np.array(triangles, dtype=int).reshape(-1, 3)


# ---- geometry --------------------------------------------------------------------------------------------------------

def sum_of_neighbours(points, a, b):
    """For each point the sum of the points at the other ends of its edges (a, b), and their number."""
    total, degree = np.zeros_like(points), np.zeros(len(points))
    for p, q in ((a, b), (b, a)):
        np.add.at(total, p, points[q])
        np.add.at(degree, p, 1)
    return total, degree


def subdivide(points, triangles):
    """One step of Loop's subdivision of a triangle mesh, which may have a border. Points have any number of columns."""
    used, triangles = np.unique(triangles, return_inverse=True)
    points, triangles = points[used], triangles.reshape(-1, 3)
    sides = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    opposite = np.concatenate([triangles[:, 2], triangles[:, 0], triangles[:, 1]])
    edges, edge_of, uses = np.unique(np.sort(sides, axis=1), axis=0, return_inverse=True, return_counts=True)
    edge_of = edge_of.reshape(-1)
    a, b = edges.T
    border = uses == 1

    wings = np.zeros((len(edges), points.shape[1]))
    np.add.at(wings, edge_of, points[opposite])
    inner = (points[a] + points[b]) * 3 / 8 + wings / 8
    middles = np.where(border[:, None], (points[a] + points[b]) / 2, inner)

    total, degree = sum_of_neighbours(points, a, b)
    beta = (5 / 8 - (3 / 8 + np.cos(2 * np.pi / degree) / 4) ** 2) / degree
    moved = points * (1 - degree * beta)[:, None] + total * beta[:, None]
    total, degree = sum_of_neighbours(points, a[border], b[border])
    moved = np.where((degree > 0)[:, None], points * 3 / 4 + total / 8, moved)

    m0, m1, m2 = (edge_of + len(points)).reshape(3, -1)
    v0, v1, v2 = triangles.T
    finer = [np.stack(t, axis=1) for t in ((v0, m0, m2), (m0, v1, m1), (m2, m1, v2), (m0, m1, m2))]
    return np.concatenate([moved, middles]), np.concatenate(finer)


def spline(points, parts=6):
    """A Catmull-Rom spline through the points, with so many parts to a segment."""
    padded = np.concatenate([[2 * points[0] - points[1]], points, [2 * points[-1] - points[-2]]])
    p, q, r, s = padded[:-3], padded[1:-2], padded[2:-1], padded[3:]
    t = np.arange(parts)[:, None, None] / parts
    line = q + ((r - p) + ((2 * p - 5 * q + 4 * r - s) + (3 * (q - r) + s - p) * t) * t) * t / 2
    return np.concatenate([line.transpose(1, 0, 2).reshape(-1, 3), points[-1:]])


def tube(points, radius, sides=16):
    """A round tube along the spline through the points, with half balls at its ends."""
    line = spline(points)
    tangents = np.gradient(line, axis=0)
    tangents /= np.linalg.norm(tangents, axis=1)[:, None]
    caps = np.linspace(0, np.pi / 2, 6)[1:]
    rings = [(line[0] - tangents[0] * radius * np.sin(u), tangents[0], radius * np.cos(u)) for u in caps[::-1]]
    rings += [(x, along, radius) for x, along in zip(line, tangents)]
    rings += [(line[-1] + tangents[-1] * radius * np.sin(u), tangents[-1], radius * np.cos(u)) for u in caps]

    side = np.array([0.3, 0.5, 0.8])
    angles = np.linspace(0, 2 * np.pi, sides, endpoint=False)[:, None]
    vertices = []
    for centre, along, r in rings:
        side = side - along * (side @ along)
        side /= np.linalg.norm(side)
        circle = np.cos(angles) * side + np.sin(angles) * np.cross(along, side)
        vertices.append(centre + max(r, 1e-3 * radius) * circle)
    k = np.arange((len(rings) - 1) * sides)
    n = k - k % sides + (k + 1) % sides
    triangles = np.concatenate([np.stack([k, n, n + sides], axis=1), np.stack([k, n + sides, k + sides], axis=1)])
    return np.concatenate(vertices), triangles


def vertex_normals(points, triangles):
    p, q, r = (points[triangles[:, i]] for i in range(3))
    faces = np.cross(q - p, r - p)
    normals = np.zeros_like(points)
    for i in range(3):
        np.add.at(normals, triangles[:, i], faces)
    return normals / np.maximum(np.linalg.norm(normals, axis=1), 1e-30)[:, None]


def sheet_coordinates(folder, name):
    """Texture coordinates of a sheet: the place of each vertex in the flat sheet of frame 0, from 0 to 1."""
    points, _ = read_obj(folder / f"{name}.0000.obj")
    depth = np.linalg.norm(points[:, 1:] - points[0, 1:], axis=1)
    uv = np.stack([points[:, 0] - points[0, 0], depth], axis=1)
    return uv / uv.max(0)


# ---- the look --------------------------------------------------------------------------------------------------------

def linear(colour):
    """The linear values of a colour RRGGBB."""
    c = np.array([int(colour[i:i + 2], 16) for i in (0, 2, 4)]) / 255
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def rgb(colour):
    return {"type": "rgb", "value": list(linear(colour))}


def surface(colour, **parameters):
    if isinstance(colour, str):
        colour = rgb(colour)
    return mi.load_dict({"type": "twosided", "inner": {"type": "principled", "base_color": colour, **parameters}})


def stripes(ground, line, count=6):
    """Stripes along the length of a sheet: a wide one between two thin ones, so many times."""
    distance = np.abs((np.arange(2048) + 0.5) / 2048 * count % 1 - 0.5)
    lines = (distance < 0.09) | ((distance > 0.15) & (distance < 0.18))
    image = np.where(lines[:, None], linear(line), linear(ground))
    return {"type": "bitmap", "data": mi.TensorXf(np.repeat(image[:, None], 4, axis=1).astype(np.float32)), "raw": True,
            "wrap_mode": "clamp"}


ROPE = surface("efe3c8", roughness=0.8, specular=0.2)
LOOK = {  # by the name of the object without its number: how it is drawn, a number for that, and its surface
    "sheet": ("cloth", 2, surface(stripes("cf4630", "f6ead6"), roughness=0.8, specular=0.2, sheen=0.5, sheen_tint=0.7)),
    "jelly": ("soft", 2, surface("16938a", roughness=0.25, specular=0.5, clearcoat=0.8, clearcoat_gloss=0.9)),
    "ball": ("balls", 1, surface("e9b13f", roughness=0.3, metallic=0.85)),
    "marbles": ("balls", 3, surface("f5f1e8", roughness=0.3, specular=0.5, clearcoat=0.6)),
    "load": ("balls", 1, surface("343b48", roughness=0.35, metallic=0.6, clearcoat=0.5)),
    "pole": ("tube", 0.013, surface("b98550", roughness=0.45, specular=0.4, clearcoat=0.3)),
    "line": ("tube", 0.0045, ROPE),
    "cord": ("tube", 0.0045, ROPE),
}


def mesh(points, triangles, bsdf, uv=None):
    properties = mi.Properties()
    properties["bsdf"] = bsdf
    shape = mi.Mesh("mesh", len(points), len(triangles), has_vertex_normals=True, has_vertex_texcoords=uv is not None,
                    props=properties)
    parameters = mi.traverse(shape)
    parameters["vertex_positions"] = points.astype(np.float32).ravel()
    parameters["vertex_normals"] = vertex_normals(points, triangles).astype(np.float32).ravel()
    if uv is not None:
        parameters["vertex_texcoords"] = uv.astype(np.float32).ravel()
    parameters["faces"] = triangles.astype(np.uint32).ravel()
    parameters.update()
    return shape


def shapes(folder, frame):
    """All objects of a frame as pairs of a name and a shape."""
    for path in sorted(folder.glob(f"*.{frame:04d}.obj")):
        name = path.name.split(".")[0]
        kind, number, bsdf = LOOK[name.rstrip("0123456789")]
        points, triangles = read_obj(path)
        if kind == "tube":
            yield name, mesh(*tube(points, number), bsdf)
        elif kind == "balls":
            for i, ball in enumerate(np.split(points, number)):
                centre = ball.mean(0)
                radius = float(np.linalg.norm(ball - centre, axis=1).max())
                yield f"{name}_{i}", {"type": "sphere", "center": list(centre), "radius": radius, "bsdf": bsdf}
        else:
            if kind == "cloth":
                points = np.concatenate([points, sheet_coordinates(folder, name)], axis=1)
            for _ in range(number):
                points, triangles = subdivide(points, triangles)
            yield name, mesh(points[:, :3], triangles, bsdf, points[:, 3:] if kind == "cloth" else None)


def backdrop(colour, start=-1.6, radius=2.5):
    """A floor that curves up into a wall."""
    angle = np.linspace(0, np.pi / 2, 65)
    z = np.concatenate([[8], start - radius * np.sin(angle), [start - radius]])
    y = np.concatenate([[0], radius * (1 - np.cos(angle)), [9]])
    points = np.stack([np.tile([-15, 15], len(z)), np.repeat(y, 2), np.repeat(z, 2)], axis=1)
    k = 2 * np.arange(len(z) - 1)[:, None]
    triangles = np.concatenate([k + [0, 1, 3], k + [0, 3, 2]])
    bsdf = mi.load_dict({"type": "twosided", "inner": {"type": "diffuse", "reflectance": rgb(colour)}})
    return mesh(points, triangles, bsdf)


def lamp(origin, target, size, radiance):
    """A square lamp of twice the size."""
    place = mi.ScalarTransform4f().look_at(origin=origin, target=target, up=[0, 1, 0])
    return {"type": "rectangle", "to_world": place @ mi.ScalarTransform4f().scale([size, size, 1]),
            "emitter": {"type": "area", "radiance": {"type": "rgb", "value": radiance}}}


def render(folder, frame, width, samples):
    """The picture in linear colours, height x width x 3, and the albedo, normal and depth that each pixel shows."""
    scene = {
        "type": "scene",
        "integrator": {"type": "aov", "aovs": "albedo:albedo,normal:sh_normal,depth:depth",
                       "light": {"type": "path", "max_depth": 6, "hide_emitters": True}},
        "sensor": {
            "type": "perspective", "fov": FIELD_OF_VIEW, "fov_axis": "x",
            "to_world": mi.ScalarTransform4f().look_at(**CAMERA),
            "film": {"type": "hdrfilm", "width": width, "height": width // 2, "rfilter": {"type": "gaussian"}},
            "sampler": {"type": "multijitter", "sample_count": samples},
        },
        "sky": {"type": "constant", "radiance": {"type": "rgb", "value": [0.28, 0.302, 0.341]}},
        "key": lamp([-2.6, 3.8, 2.4], [0, 0.5, 0], 0.8, [19, 17.6, 15.6]),
        "rim": lamp([3.0, 2.8, -1.4], [0, 0.6, 0], 0.6, [6, 6.4, 7]),
        "backdrop": backdrop("e4e6e8"),
    }
    scene.update(shapes(folder, frame))
    layers = np.array(mi.render(mi.load_dict(scene), seed=frame))
    return layers[:, :, :3], layers[:, :, -7:]


def denoise(image, guides, rounds=4, light_width=0.12):
    """An edge-avoiding wavelet filter (a-trous) of the light on surfaces of like albedo, normal and depth."""
    scales = np.array([0.05] * 3 + [0.1] * 3 + [0.03], dtype=np.float32)
    albedo, guides = guides[:, :, :3] + 0.02, guides / scales
    light = image / albedo
    height, width = image.shape[:2]
    kernel = np.array([1, 4, 6, 4, 1], dtype=np.float32) / 16
    for level in range(rounds):
        step = 2 ** level
        pad = ((2 * step, 2 * step), (2 * step, 2 * step), (0, 0))
        around, guides_around = np.pad(light, pad, mode="edge"), np.pad(guides, pad, mode="edge")
        precision = 1 / (light_width / step * light.mean(2) + 1e-3) ** 2 / 3
        total, weights = np.zeros_like(light), np.zeros((height, width, 1), dtype=np.float32)
        for i in range(5):
            for j in range(5):
                window = np.s_[i * step:i * step + height, j * step:j * step + width]
                other = around[window]
                far = ((other - light) ** 2).sum(2) * precision + ((guides_around[window] - guides) ** 2).sum(2)
                weight = (kernel[i] * kernel[j] * np.exp(-far))[:, :, None]
                total += weight * other
                weights += weight
        light = total / weights
    return light * albedo


# ---- pictures --------------------------------------------------------------------------------------------------------

def tone(image, exposure=1.35):
    """8-bit sRGB; a shoulder leaves bright colours their differences."""
    x = image * exposure
    x = np.where(x < 0.6, x, 0.6 + 0.4 * (1 - np.exp(-(np.maximum(x, 0.6) - 0.6) / 0.4)))
    s = np.where(x <= 0.0031308, 12.92 * x, 1.055 * np.maximum(x, 0.0031308) ** (1 / 2.4) - 0.055)
    return (np.clip(s, 0, 1) * 255 + 0.5).astype(np.uint8)


def save_animation(images, out):
    """Animated WebP of 15 frames a second, which starts again after a second of rest."""
    pictures = [Image.fromarray(image) for image in images]
    times = [67] * (len(pictures) - 1) + [1000]
    pictures[0].save(out, save_all=True, append_images=pictures[1:], duration=times, loop=0, quality=70, method=4)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--taut", default=str(ROOT / "build" / "release" / "bin" / "taut"), help="the tool to run")
    options.add_argument("--frame", type=int, default=28, help="the frame to draw")
    options.add_argument("--width", type=int, help="in pixels, twice the height; 1280, and 640 of the animation")
    options.add_argument("--samples", type=int, help="paths per pixel; 64, and 8 of the animation")
    options.add_argument("--animation", action="store_true", help="draws every second frame into an animated WebP file")
    options.add_argument("--out", type=pathlib.Path, help="docs/pictures/readme.png, or readme.webp")
    options.add_argument("--obj", type=pathlib.Path, help="a folder of an earlier run, to be drawn without a new one")
    given = options.parse_args()

    frames = range(0, FRAMES + 1, 2) if given.animation else [given.frame]
    width = given.width or (640 if given.animation else 1280)
    samples = given.samples or (8 if given.animation else 64)
    out = given.out or PICTURES / ("readme.webp" if given.animation else "readme.png")
    with tempfile.TemporaryDirectory() as scratch:
        folder = given.obj or pathlib.Path(scratch)
        if not given.obj:
            simulate(given.taut, frames[-1], folder)
        images = [tone(denoise(*render(folder, frame, width, samples))) for frame in frames]
    if given.animation:
        save_animation(images, out)
    else:
        Image.fromarray(images[0]).save(out, optimize=True)
    print(f"{out}: {out.stat().st_size} bytes")


if __name__ == "__main__":
    main()
