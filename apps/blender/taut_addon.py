"""Add-on for Blender: simulates meshes by the program `taut`, and imports what it wrote.

Install it by Edit > Preferences > Add-ons > Install. Its panel is in the properties of a mesh, tab Physics."""

import json
import math
import os
import struct
import subprocess

import bpy
import numpy

bl_info = {"name": "taut", "author": "The taut authors", "version": (0, 2, 0), "blender": (3, 3, 0), "category": "Physics",
           "location": "Properties > Physics > taut", "description": "Cloth by the solver taut; import of its results"}

PC2 = struct.Struct("<12siiffi")
MODIFIER = "taut"


# ---- point caches ---------------------------------------------------------------------------------------------------------


def read_pc2(path):
    """samples x points x 3"""
    with open(path, "rb") as file:
        sign, version, points, _, _, samples = PC2.unpack(file.read(PC2.size))
        if sign[:11] != b"POINTCACHE2" or version != 1:
            raise ValueError(f"{path}: is no point cache")
        values = numpy.frombuffer(file.read(), dtype="<f4")
    if len(values) != 3 * points * samples:
        raise ValueError(f"{path}: is truncated")
    return values.reshape(samples, points, 3)


def write_pc2(path, values):
    with open(path, "wb") as file:
        file.write(PC2.pack(b"POINTCACHE2\0", 1, values.shape[1], 0, 1, len(values)))
        file.write(numpy.ascontiguousarray(values, dtype="<f4").tobytes())


def play(thing, path, start):
    """Lets a modifier move the mesh of an object as a cache does, from the frame `start` on."""
    modifier = thing.modifiers.get(MODIFIER) or thing.modifiers.new(MODIFIER, "MESH_CACHE")
    modifier.cache_format, modifier.filepath, modifier.frame_start = "PC2", path, start
    return modifier


# ---- from Blender to a scene ----------------------------------------------------------------------------------------------


def vertices_of(mesh):
    flat = numpy.empty(3 * len(mesh.vertices))
    mesh.vertices.foreach_get("co", flat)
    return flat.reshape(-1, 3)


def placed(points, matrix):
    m = numpy.array(matrix)
    return points @ m[:3, :3].T + m[:3, 3]


def write_obj(path, points, faces):
    with open(path, "w") as file:
        file.writelines("v %.9g %.9g %.9g\n" % tuple(p) for p in points)
        file.writelines("f " + " ".join(str(i + 1) for i in face) + "\n" for face in faces)


def used_faces(mesh):
    """Vertices that polygons use, and the polygons counted among them: what taut keeps of a mesh."""
    polygons = [list(p.vertices) for p in mesh.polygons]
    if not polygons:
        raise ValueError("the mesh has no faces")
    used = sorted({v for polygon in polygons for v in polygon})
    number = {v: i for i, v in enumerate(used)}
    return used, [[number[v] for v in polygon] for polygon in polygons]


def pinned(thing, used):
    if not thing.taut.pins:
        return []
    group = thing.vertex_groups.get(thing.taut.pins)
    if not group:
        raise ValueError(f"{thing.name}: has no vertex group '{thing.taut.pins}' for its pins")
    held = {v.index for v in thing.data.vertices for g in v.groups if g.group == group.index and g.weight > 0.5}
    return [i for i, v in enumerate(used) if v in held]


def is_closed(mesh):
    count = {}
    for polygon in mesh.polygons:
        for edge in polygon.edge_keys:
            count[edge] = count.get(edge, 0) + 1
    return all(n == 2 for n in count.values())


def evaluated(thing):
    """World positions of a mesh with its modifiers, in the frame at hand, and a copy of the mesh."""
    seen = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = bpy.data.meshes.new_from_object(seen)
    points = placed(vertices_of(mesh), seen.matrix_world)
    return points, mesh


def collider(thing, folder, number, frames, unit, thickness):
    """An object of the scene, which moves and deforms as in Blender."""
    scene, samples = bpy.context.scene, []
    now = scene.frame_current
    for frame in frames:
        scene.frame_set(frame)
        points, mesh = evaluated(thing)
        used, faces = used_faces(mesh)
        closed = is_closed(mesh)
        bpy.data.meshes.remove(mesh)
        if samples and len(used) != len(samples[0]):
            raise ValueError(f"{thing.name}: its number of vertices changes")
        samples.append(points[used] * unit)
    scene.frame_set(now)
    write_obj(os.path.join(folder, f"collider{number}.obj"), samples[0], faces)
    write_pc2(os.path.join(folder, f"collider{number}.pc2"), numpy.array(samples))
    made = {"name": f"collider{number}", "type": "collider", "mesh": f"collider{number}.obj",
            "animation": {"file": f"collider{number}.pc2"}}
    return made if closed else dict(made, thickness=thickness)


def write_scene(thing, others, folder):
    """Writes scene.json and its meshes; returns which vertices are simulated, and the length of a unit of Blender, m."""
    scene, settings = bpy.context.scene, thing.taut
    unit = scene.unit_settings.scale_length
    frames = range(scene.frame_start, scene.frame_end + 1)
    used, faces = used_faces(thing.data)
    os.makedirs(folder, exist_ok=True)
    write_obj(os.path.join(folder, "cloth.obj"), placed(vertices_of(thing.data), thing.matrix_world)[used] * unit, faces)
    cloth = {"name": "cloth", "type": "cloth", "mesh": "cloth.obj", "fabric": settings.fabric}
    if settings.thickness > 0:
        cloth["contact"] = {"thickness": settings.thickness}
    held = pinned(thing, used)
    made = {"taut": 1, "frames": len(frames) - 1, "fps": scene.render.fps / scene.render.fps_base, "substeps": settings.substeps,
            "gravity": list(scene.gravity) if scene.use_gravity else [0, 0, 0],
            "objects": [cloth] + [collider(o, folder, i, frames, unit, settings.thickness) for i, o in enumerate(others)],
            "constraints": [{"type": "pin", "at": {"object": "cloth", "vertices": held}}] if held else []}
    with open(os.path.join(folder, "scene.json"), "w") as file:
        json.dump(made, file, indent=1)
    return used, unit


def simulate(thing, others, folder, program):
    """Simulates the cloth, and lets it play. What taut says of a failure is the message of a ValueError."""
    modifier = thing.modifiers.get(MODIFIER)
    if modifier:
        thing.modifiers.remove(modifier)
    used, unit = write_scene(thing, others, folder)
    done = subprocess.run([program, "run", "scene.json", "--export", "pc2", "--out", "out"], cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        raise ValueError((done.stderr.strip() or f"{program} ended with status {done.returncode}").splitlines()[-1])
    moved = read_pc2(os.path.join(folder, "out", "cloth.pc2"))
    local = numpy.tile(vertices_of(thing.data), (len(moved), 1, 1))
    for frame, points in enumerate(moved):
        local[frame, used] = placed(points / unit, thing.matrix_world.inverted())
    path = os.path.join(folder, "cloth.pc2")
    write_pc2(path, local)
    play(thing, path, bpy.context.scene.frame_start)
    return done.stdout.strip().splitlines()[-1]


# ---- from a result to Blender ---------------------------------------------------------------------------------------------


def read_obj(path):
    points, edges, faces = [], [], []
    with open(path) as file:
        for line in file:
            words = line.split()
            if words[:1] == ["v"]:
                points.append([float(w) for w in words[1:4]])
            elif words[:1] == ["f"]:
                faces.append([int(w.split("/")[0]) - 1 for w in words[1:]])
            elif words[:1] == ["l"]:  # ropes and rods
                line = [int(w.split("/")[0]) - 1 for w in words[1:]]
                edges += zip(line, line[1:])
    return points, edges, faces


def first_obj(stem):
    """NAME.0000.obj, with more zeros where the run has more than 9,999 frames."""
    paths = [stem + "." + "0" * digits + ".obj" for digits in range(4, 11)]
    return next((path for path in paths if os.path.exists(path)), paths[0])


def import_result(path):
    """Makes an object of NAME.pc2 and NAME.0000.obj beside it. In taut's files y points up."""
    stem = path[:-len(".pc2")]
    start = first_obj(stem)
    points, edges, faces = read_obj(start)
    if len(points) != read_pc2(path).shape[1]:
        raise ValueError(f"{path}: has not the vertices of {start}")
    mesh = bpy.data.meshes.new(os.path.basename(stem))
    mesh.from_pydata(points, edges, faces)
    thing = bpy.data.objects.new(mesh.name, mesh)
    thing.rotation_euler = (math.pi / 2, 0, 0)
    bpy.context.collection.objects.link(thing)
    play(thing, path, bpy.context.scene.frame_start)
    return thing


# ---- what is seen ---------------------------------------------------------------------------------------------------------


class TautSettings(bpy.types.PropertyGroup):
    fabric: bpy.props.StringProperty(name="Fabric", default="cotton", description="A fabric by name: cotton, denim, silk, ...")
    thickness: bpy.props.FloatProperty(name="Thickness", default=0.005, min=0, unit="LENGTH", description="For contact; 0: without")
    substeps: bpy.props.IntProperty(name="Substeps", default=2, min=1, max=100)
    pins: bpy.props.StringProperty(name="Pins", description="Vertices of this group that weigh more than 0.5 are held")


class TautPreferences(bpy.types.AddonPreferences):
    bl_idname = __name__
    program: bpy.props.StringProperty(name="Program", default="taut", subtype="FILE_PATH")

    def draw(self, context):
        self.layout.prop(self, "program")


class TAUT_OT_simulate(bpy.types.Operator):
    """Simulates the active mesh as cloth; other selected meshes are colliders"""

    bl_idname, bl_label, bl_options = "taut.simulate", "Simulate", {"REGISTER", "UNDO"}
    program: bpy.props.StringProperty(name="Program", description="Default: that of the preferences")
    folder: bpy.props.StringProperty(name="Folder", description="Default: taut/OBJECT beside the file", subtype="DIR_PATH")

    @classmethod
    def poll(cls, context):
        return context.object and context.object.type == "MESH" and context.mode == "OBJECT"

    def execute(self, context):
        thing = context.object
        others = [o for o in context.selected_objects if o != thing and o.type == "MESH"]
        addon = context.preferences.addons.get(__name__)
        program = self.program or (addon.preferences.program if addon else "taut")
        folder = self.folder or (os.path.join("//taut", thing.name) if bpy.data.filepath else os.path.join(bpy.app.tempdir, thing.name))
        try:
            self.report({"INFO"}, simulate(thing, others, os.path.abspath(bpy.path.abspath(folder)), program))
        except (OSError, ValueError) as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return {"FINISHED"}


class TAUT_OT_import(bpy.types.Operator):
    """Imports NAME.pc2 and NAME.0000.obj that `taut run --export obj,pc2` wrote"""

    bl_idname, bl_label, bl_options = "taut.import_result", "Import taut result (.pc2)", {"REGISTER", "UNDO"}
    filepath: bpy.props.StringProperty(subtype="FILE_PATH")
    filter_glob: bpy.props.StringProperty(default="*.pc2", options={"HIDDEN"})

    def invoke(self, context, event):
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def execute(self, context):
        try:
            import_result(self.filepath)
        except (OSError, ValueError) as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return {"FINISHED"}


class TAUT_PT_panel(bpy.types.Panel):
    bl_label, bl_space_type, bl_region_type, bl_context = "taut", "PROPERTIES", "WINDOW", "physics"

    @classmethod
    def poll(cls, context):
        return context.object and context.object.type == "MESH"

    def draw(self, context):
        settings = context.object.taut
        for name in ("fabric", "thickness", "substeps"):
            self.layout.prop(settings, name)
        self.layout.prop_search(settings, "pins", context.object, "vertex_groups")
        self.layout.operator("taut.simulate")


CLASSES = (TautSettings, TautPreferences, TAUT_OT_simulate, TAUT_OT_import, TAUT_PT_panel)


def add_to_menu(menu, context):
    menu.layout.operator("taut.import_result")


def register():
    for each in CLASSES:
        bpy.utils.register_class(each)
    bpy.types.Object.taut = bpy.props.PointerProperty(type=TautSettings)
    bpy.types.TOPBAR_MT_file_import.append(add_to_menu)


def unregister():
    bpy.types.TOPBAR_MT_file_import.remove(add_to_menu)
    del bpy.types.Object.taut
    for each in reversed(CLASSES):
        bpy.utils.unregister_class(each)
