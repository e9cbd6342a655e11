"""Windows on a screen in memory (Xvfb), with events from scripts; and their refusal."""

import importlib.util
import math
import os
import pathlib
import re
import struct
import subprocess
import sys
import zlib

import numpy
import pytest

import taut

SIZE = 240
HALF_HEIGHT = math.tan(math.radians(14))  # of the picture, at a distance of 1 m


@pytest.fixture(scope="module")
def screen():
    """DISPLAY of a screen of its own."""
    if importlib.util.find_spec("taut._view") is None:
        pytest.skip("built without the viewer")
    read, write = os.pipe()
    try:
        server = subprocess.Popen(["Xvfb", "-displayfd", str(write), "-screen", "0", "640x480x24", "-nolisten", "tcp", "-noreset"],
                                  pass_fds=[write], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    except FileNotFoundError:
        pytest.skip("Xvfb is not installed")
    os.close(write)
    with os.fdopen(read) as numbers:
        number = numbers.readline().strip()
    before = os.environ.get("DISPLAY")
    os.environ["DISPLAY"] = f":{number}"
    yield
    os.environ.pop("DISPLAY")
    if before is not None:
        os.environ["DISPLAY"] = before
    server.terminate()
    server.wait()


@pytest.mark.parametrize("world, profiled", [(None, True), ({"threads": 1}, True), ({"profile": False}, False)])
def test_a_world_that_is_shown_measures_its_stages(world, profiled, cloth_file, monkeypatch):
    monkeypatch.setattr("taut._window.show", lambda world, **options: None)
    simulation = taut.view(cloth_file, world=world)
    simulation.step()
    assert (simulation.world.info().stage_seconds["solve"] > 0) == profiled


def read_png(path):
    """Height x width x 3 of a PNG with 8 bits a channel."""
    data = path.read_bytes()
    at, body = 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        chunk = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            width, height, depth, colours = struct.unpack(">IIBB", chunk[:10])
        body += chunk if kind == b"IDAT" else b""
        at += length + 12
    channels = {2: 3, 6: 4}[colours]
    assert depth == 8
    lines = numpy.frombuffer(zlib.decompress(body), dtype=numpy.uint8).reshape(height, 1 + width * channels)
    out = numpy.zeros((height, width * channels), dtype=numpy.uint8)
    for y in range(height):
        unfilter(lines[y, 0], lines[y, 1:], out[y - 1] if y else numpy.zeros(width * channels, dtype=numpy.uint8), out[y], channels)
    return out.reshape(height, width, channels)[:, :, :3].astype(int)


def unfilter(kind, line, above, out, channels):
    for x in range(line.size):
        left = int(out[x - channels]) if x >= channels else 0
        up, corner = int(above[x]), int(above[x - channels]) if x >= channels else 0
        p = left + up - corner
        nearest = min((left, up, corner), key=lambda v: abs(p - v))
        out[x] = (int(line[x]) + (0, left, up, (left + up) // 2, nearest)[kind]) % 256


class Seen:
    """What differs from the backdrop at the left edge: place and size in pixels."""

    def __init__(self, picture):
        rows, columns = numpy.nonzero(abs(picture - picture[:, :1]).max(axis=2) > 12)
        self.x, self.y, self.area = columns.mean(), rows.mean(), rows.size


def options(tmp_path, script):
    """From 6 m along z, without panels; pictures of the script go to the test's folder."""
    (tmp_path / "script").write_text("0 key h\n" + script.replace("picture ", f"picture {tmp_path}/"))
    return {"script": tmp_path / "script", "size": (SIZE, SIZE), "camera": (0, 0, 6), "target": (0, 0, 0), "floor": False}


def pixels_of(metres, z=0):
    return metres / (6 - z) / HALF_HEIGHT * SIZE / 2


def ball(x, y, radius):
    scene = taut.Scene()
    body = scene.add_bodies(positions=[[x, y, 0]], mass=1, fixed=[True])
    scene.add_colliders(shape="sphere", size=[radius, 0, 0], bodies=body.bodies)
    return scene


def test_a_ball_of_arrays_is_where_it_stands(screen, tmp_path):
    with taut.World(ball(0.5, -0.3, 0.3), backend="cpu") as world:
        world.view(**options(tmp_path, "2 picture ball.png\n3 quit\n"))
    seen = Seen(read_png(tmp_path / "ball.png"))
    assert abs(seen.x - (SIZE / 2 + pixels_of(0.5))) < 1.5 and abs(seen.y - (SIZE / 2 + pixels_of(0.3))) < 1.5
    assert abs(seen.area / (math.pi * pixels_of(0.3) ** 2) - 1) < 0.05


def test_a_scene_file_and_arrays_look_alike(screen, tmp_path):
    with taut.World(ball(0.2, 0.1, 0.4), backend="cpu") as world:
        world.view(**options(tmp_path, "2 picture arrays.png\n3 quit\n"))
    scene = {"taut": 1, "objects": [{"name": "ball", "type": "rigid", "sphere": {"radius": 0.4}, "mass": 1, "fixed": True,
                                     "translate": [0.2, 0.1, 0], "contact": {}}]}
    simulation = taut.view(scene, **options(tmp_path, "2 picture file.png\n3 quit\n"))
    assert simulation.frame >= 2
    arrays, file = Seen(read_png(tmp_path / "arrays.png")), Seen(read_png(tmp_path / "file.png"))
    assert abs(arrays.x - file.x) < 0.5 and abs(arrays.y - file.y) < 0.5 and abs(arrays.area / file.area - 1) < 0.01


def test_residuals_are_colours_of_worlds_that_keep_them(screen, tmp_path):
    """A ball that nothing disturbs has the darkest colour; without residuals it keeps its own."""
    def colour(world, name, **more):
        world.view(**options(tmp_path, f"4 picture {name}.png\n5 quit\n"), **more)
        return read_png(tmp_path / f"{name}.png")[SIZE // 2, SIZE // 2]

    scene = {"taut": 1, "objects": [{"name": "ball", "type": "rigid", "sphere": {"radius": 0.4}, "mass": 1, "fixed": True}]}
    plain = colour(taut.Simulation(scene, backend="cpu"), "plain")
    without = colour(taut.Simulation(scene, backend="cpu"), "without", colour="residual")
    kept = colour(taut.Simulation(scene, backend="cpu", residuals=True), "kept", colour="residual")
    assert abs(plain - without).max() < 12 and abs(plain - kept).max() > 40 and kept[2] > kept[1] + 20


def test_every_kind_of_shape_is_drawn(screen, tmp_path):
    """Each stands alone at a place of its own: something is seen there and nowhere else."""
    def picture(add):
        scene = taut.Scene()
        add(scene)
        with taut.World(scene, backend="cpu", gravity=[0, 0, 0]) as world:
            world.view(playing=False, **options(tmp_path, "1 picture one.png\n2 quit\n"))
        return Seen(read_png(tmp_path / "one.png"))

    corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [-1, -1, 1]]
    triangle = picture(lambda s: (s.add_particles(positions=corners[:3]), s.add_membranes(particles=[[0, 1, 2]])))
    assert abs(triangle.area / (pixels_of(1) ** 2 / 2) - 1) < 0.1
    soft = picture(lambda s: (s.add_particles(positions=corners), s.add_solids(particles=[[0, 1, 2, 3]])))
    assert soft.area > triangle.area
    rod = picture(lambda s: s.add_rods(offsets=[0, 3], positions=[[-1, 0, 0], [0, 0, 0], [1, 0, 0]], radius=0.05))
    assert abs(rod.area / (pixels_of(2) * pixels_of(0.1)) - 1) < 0.2
    dot = picture(lambda s: (s.add_particles(positions=[[1, 0, 0]]), s.add_contact_points(particles=[0], radius=0.2)))
    assert abs(dot.x - SIZE / 2 - pixels_of(1)) < 1 and abs(dot.area / (math.pi * pixels_of(0.2) ** 2) - 1) < 0.1
    net = picture(lambda s: (s.add_particles(positions=corners[:3]), s.add_distances(particles=[[0, 1], [1, 2], [2, 0]])))
    assert 0 < net.area < triangle.area
    shown = picture(lambda s: (s.add_particles(positions=[[0, 0, 0]]),
                               [s.add_colliders(shape=shape, size=[0.2, 0.2, 0.2], positions=[[0.8 * x, 0, 0]])
                                for x, shape in enumerate(["box", "capsule", "cylinder", "cone"], start=-1)]))
    assert 3.2 < shown.area / pixels_of(0.4) ** 2 < 4.2  # a square and three discs, and a little of their sides


def test_the_mouse_drags_a_running_sheet(screen, tmp_path, sheet):
    """The sheet hangs down after a while; its lower end is pulled to the right."""
    with taut.World(sheet, backend="cpu", reserve={"targets": 1}, integrator={"mass_damping": 5}) as world:
        world.view(**options(tmp_path, "60 quit\n"))
        lowest = int(numpy.argmin(world.positions[:, 1]))
        at = world.positions[lowest].copy()
        x, y = SIZE / 2 + pixels_of(at[0], at[2]), SIZE / 2 - pixels_of(at[1], at[2])
        world.view(playing=False, **options(tmp_path, f"1 move {x:.2f} {y:.2f}\n2 press left\n3 key space\n4 move {x + 40:.2f} {y:.2f}\n"
                                                      "60 quit\n"))
        assert world.positions[lowest, 0] - at[0] > 0.5 * 40 / pixels_of(1)  # half the way of the mouse
        room, left = world.room()
        assert left["targets"] == 1  # nothing is held behind the window


def test_without_room_nothing_is_dragged(screen, tmp_path, pendulum):
    with taut.World(pendulum, backend="cpu", gravity=[0, 0, 0]) as world:
        x = SIZE / 2 + pixels_of(1)
        world.view(**options(tmp_path, f"1 move {x:.0f} {SIZE / 2:.0f}\n2 press left\n3 move 10 10\n9 quit\n"))
        assert numpy.allclose(world.positions[1], [1, 0, 0])


def test_a_function_is_called_before_each_frame(screen, tmp_path, pendulum):
    times = []

    def lift(world):
        times.append(world.positions[1, 1])
        world.set_forces([[0, 100, 0]], first=1)
        return len(times) < 20

    with taut.World(pendulum, backend="cpu") as world:
        world.view(on_frame=lift, **options(tmp_path, "1 key space\n5 key space\n200 quit\n"))
        assert len(times) == 20 and times[-1] > 0.1  # it rises: the forces acted
        steps = world.save()
        assert taut.World.describe_saved(steps).steps == 19  # the window closed before the twentieth


def test_errors_of_the_function_come_back(screen, tmp_path, cloth_file):
    def stop(simulation):
        if simulation.frame == 3:
            raise KeyError("enough")

    with taut.Simulation(cloth_file, reserve={"targets": 1}) as simulation:
        with pytest.raises(KeyError, match="enough"):
            simulation.view(stop, **options(tmp_path, "50 quit\n"))
        assert simulation.frame == 3
        simulation.step()  # the world is free again
        assert simulation.frame == 4


def test_a_world_that_is_closed_ends_its_window(screen, pendulum):
    with pytest.raises(ValueError, match="the world is closed"):
        taut.World(pendulum).view(on_frame=lambda world: world.close())


def test_a_window_goes_on_as_steps_do(screen, tmp_path, cloth_file):
    """Steps of the window are those of the program: pins move, and the frames count on."""
    with taut.Simulation(cloth_file, threads=1) as seen, taut.Simulation(cloth_file, threads=1) as made:
        seen.step()
        seen.view(on_frame=lambda s: s.frame < 5, **options(tmp_path, "50 quit\n"))
        while made.frame < 5:
            made.step()
        assert seen.frame == 5 and numpy.array_equal(seen.world.positions, made.world.positions)


def test_wrong_options_are_refused(screen, pendulum):
    with taut.World(pendulum, backend="cpu") as world:
        for wrong in ({"colour": "pink"}, {"size": (3, 3)}, {"camera": (1,)}, {"triangles": [[0, 1]]}, {"triangles": [[0, 1, 9]]}):
            with pytest.raises(ValueError, match=next(iter(wrong))):
                world.view(**wrong)
        with pytest.raises(taut.Error, match="nowhere"):
            world.view(script="nowhere")


def test_without_a_screen_one_sentence_says_so(monkeypatch, pendulum):
    if importlib.util.find_spec("taut._view") is None:
        pytest.skip("built without the viewer")
    monkeypatch.delenv("DISPLAY", raising=False)
    with taut.World(pendulum, backend="cpu") as world:
        with pytest.raises(taut.Error, match="there is no screen") as raised:
            world.view()
        assert "\n" not in str(raised.value)
        world.step(1 / 60)
    demo = subprocess.run([sys.executable, "-m", "taut.demo"], capture_output=True, text=True,
                          env={k: v for k, v in os.environ.items() if k != "DISPLAY"})
    assert demo.returncode == 1 and demo.stderr.count("\n") == 1 and "--headless" in demo.stderr


@pytest.mark.parametrize("fps", [0, -1, float("nan"), float("inf")])
def test_frames_per_second_are_above_0(pendulum, fps):
    with taut.World(pendulum, backend="cpu") as world, pytest.raises(ValueError, match="^fps: is .*; it is a number above 0"):
        world.view(fps=fps)


def test_a_closed_world_has_no_window(pendulum):
    if importlib.util.find_spec("taut._view") is None:
        pytest.skip("built without the viewer")
    world = taut.World(pendulum, backend="cpu")
    world.close()
    with pytest.raises(ValueError, match="the world is closed"):
        world.view()


def test_a_package_without_the_viewer_says_so(monkeypatch, pendulum):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with taut.World(pendulum, backend="cpu") as world, pytest.raises(taut.Error, match="built without the viewer"):
        world.view()


def test_the_page_opens_windows(screen, tmp_path, monkeypatch, capsys):
    """Its blocks `py`, after those that make what they show; a script closes each window."""
    page = pathlib.Path(__file__).parents[2] / "docs/how-to/use-from-python.md"
    if not page.is_file():
        pytest.skip("installed without the sources")
    for module in ("meshio", "trimesh", "xarray"):
        pytest.importorskip(module)
    show, shown = taut._window.show, []
    monkeypatch.setattr("taut._window.show", lambda world, **more: shown.append(show(world, **{**more, **options(tmp_path, "4 quit\n")})))
    (tmp_path / "examples").symlink_to(page.parents[2] / "examples")
    monkeypatch.chdir(tmp_path)
    names, windows = {"__name__": "__main__"}, 0
    for language, text in re.findall(r"^```(py|python)\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE):
        exec(compile(text, str(page), "exec"), names)
        windows += language == "py"
    assert windows == len(shown) == 2 and names["simulation"].frame >= 3 and names["world"].info().time > 0
