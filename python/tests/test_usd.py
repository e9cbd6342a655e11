"""Scenes authored in USD: their physics against formulas, what is written against what was simulated and against OpenUSD's
validators."""

import pathlib
import subprocess
import sys
import warnings

import numpy
import pytest

pytest.importorskip("pxr")

import taut  # noqa: E402
import taut.usd  # noqa: E402
from pxr import Gf, Sdf, Usd, UsdGeom, UsdPhysics, UsdShade, UsdSkel  # noqa: E402
from taut.usd import _shapes  # noqa: E402
from taut.usd._space import _near  # noqa: E402

ROOT = pathlib.Path(__file__).parents[2]
EXAMPLE = ROOT / "examples/usd/curtain.usda"


def stage_of(path, unit=1.0, up="Y", end=24, fps=24.0):
    stage = Usd.Stage.CreateNew(str(path))
    UsdGeom.SetStageMetersPerUnit(stage, unit)
    UsdGeom.SetStageUpAxis(stage, up)
    stage.SetStartTimeCode(0)
    stage.SetEndTimeCode(end)
    stage.SetTimeCodesPerSecond(fps)
    stage.SetDefaultPrim(UsdGeom.Xform.Define(stage, "/World").GetPrim())
    return stage


def ball(stage, path, radius=0.1, at=(0, 0, 0), mass=1.0):
    sphere = UsdGeom.Sphere.Define(stage, path)
    sphere.CreateRadiusAttr(radius)
    sphere.CreateExtentAttr([(-radius,) * 3, (radius,) * 3])
    sphere.AddTranslateOp().Set(Gf.Vec3d(*at))
    UsdPhysics.RigidBodyAPI.Apply(sphere.GetPrim())
    UsdPhysics.CollisionAPI.Apply(sphere.GetPrim())
    UsdPhysics.MassAPI.Apply(sphere.GetPrim()).CreateMassAttr(mass)
    return sphere


def bar(stage, path):
    """Of 1 m along x from where its parent is, and a tenth of that across."""
    cube = UsdGeom.Cube.Define(stage, path)
    cube.CreateSizeAttr(1)
    cube.AddTranslateOp().Set(Gf.Vec3d(0.5, 0, 0))
    cube.AddScaleOp().Set(Gf.Vec3f(1, 0.1, 0.1))
    UsdPhysics.RigidBodyAPI.Apply(cube.GetPrim())
    UsdPhysics.CollisionAPI.Apply(cube.GetPrim())


def mesh(stage, path, points, counts, indices):
    made = UsdGeom.Mesh.Define(stage, path)
    made.CreatePointsAttr([Gf.Vec3f(*map(float, p)) for p in points])
    made.CreateFaceVertexCountsAttr(counts)
    made.CreateFaceVertexIndicesAttr(indices)
    made.CreateSubdivisionSchemeAttr("none")
    made.CreateExtentAttr(UsdGeom.PointBased.ComputeExtent(made.GetPointsAttr().Get()))
    return made


def grid(stage, path, cells=4, size=1.0, height=0.0):
    axis = numpy.linspace(-size / 2, size / 2, cells + 1)
    points = [(x, height, z) for z in axis for x in axis]
    n = cells + 1
    indices = [i for j in range(cells) for k in range(cells) for i in (j * n + k, (j + 1) * n + k, (j + 1) * n + k + 1, j * n + k + 1)]
    return mesh(stage, path, points, [4] * cells**2, indices)


def cube_mesh(stage, path, side=1.0):
    points = side * (numpy.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]) - 0.5)
    faces = [0, 1, 3, 2, 4, 6, 7, 5, 0, 4, 5, 1, 2, 3, 7, 6, 0, 2, 6, 4, 1, 5, 7, 3]
    return mesh(stage, path, points, [4] * 6, faces)


def apply(prim, schema, **values):
    """Values: doubles, strings, lists of whole numbers."""
    prim.ApplyAPI(schema)
    put(prim, **values)


def put(prim, **values):
    kinds = {float: Sdf.ValueTypeNames.Double, str: Sdf.ValueTypeNames.Token, bool: Sdf.ValueTypeNames.Bool,
             int: Sdf.ValueTypeNames.Int, list: Sdf.ValueTypeNames.IntArray}
    for name, value in values.items():
        prim.CreateAttribute(f"taut:{name.replace('__', ':')}", kinds[type(value)], custom=False).Set(value)


def points_of(path, prim, code):
    stage = Usd.Stage.Open(str(path))
    return numpy.array(UsdGeom.PointBased(stage.GetPrimAtPath(prim)).GetPointsAttr().Get(code))


def place(path, prim, code):
    stage = Usd.Stage.Open(str(path))
    return numpy.array(UsdGeom.Xformable(stage.GetPrimAtPath(prim)).ComputeLocalToWorldTransform(code))


def test_a_ball_falls_in_the_units_of_the_stage(tmp_path):
    stage = stage_of(tmp_path / "fall.usda", unit=0.01, up="Z")
    ball(stage, "/World/ball", radius=10, at=(5, 0, 1000))
    UsdPhysics.RigidBodyAPI(stage.GetPrimAtPath("/World/ball")).CreateVelocityAttr((0, 100, 0))
    stage.Save()
    taut.usd.simulate(tmp_path / "fall.usda", tmp_path / "out.usdc")
    h = 1 / 72  # three substeps of 1/24 s
    fallen = 9.81 * h**2 * 72 * 73 / 2  # implicit Euler
    numpy.testing.assert_allclose(place(tmp_path / "out.usdc", "/World/ball", 24)[3, :3], [5, 100, 1000 - 100 * fallen], rtol=1e-6)
    assert taut.usd.faults(tmp_path / "out.usdc") == []


def test_a_bad_stage_has_faults(tmp_path):
    stage = Usd.Stage.CreateNew(str(tmp_path / "bad.usda"))  # without a default prim, an up axis and units
    UsdGeom.Mesh.Define(stage, "/mesh")
    stage.Save()
    assert taut.usd.faults(tmp_path / "bad.usda")


def test_a_scene_has_its_gravity(tmp_path):
    stage = stage_of(tmp_path / "s.usda")
    ball(stage, "/World/ball")
    scene = UsdPhysics.Scene.Define(stage, "/World/physics")
    scene.CreateGravityDirectionAttr((2, 0, 0))
    scene.CreateGravityMagnitudeAttr(3)
    apply(scene.GetPrim(), "TautSceneAPI", substeps=3, tolerance=1e-6)
    made = taut.usd.read(stage).scene
    assert list(made["gravity"]) == [3, 0, 0] and made["substeps"] == 3 and made["solver"] == {"tolerance": 1e-6}


def test_a_hinge_and_a_nested_scaled_body(tmp_path):
    stage = stage_of(tmp_path / "s.usda")
    UsdGeom.Xform.Define(stage, "/World/group").AddTranslateOp().Set(Gf.Vec3d(1, 2, 3))
    bar(stage, "/World/group/bar")
    hinge = UsdPhysics.RevoluteJoint.Define(stage, "/World/hinge")
    hinge.CreateBody1Rel().SetTargets(["/World/group/bar"])
    hinge.CreateLocalPos1Attr((-0.5, 0, 0))
    hinge.CreateAxisAttr("Z")
    apply(UsdPhysics.Scene.Define(stage, "/World/physics").GetPrim(), "TautSceneAPI", substeps=64)
    stage.Save()
    translation = taut.usd.read(tmp_path / "s.usda")
    made = translation.scene["objects"][0]
    assert made["mass"] == pytest.approx(10) and made["inertia"][0] == pytest.approx(10 * 0.02 / 12, rel=1e-6)
    assert not translation.notes
    taut.usd.simulate(translation, tmp_path / "out.usda")
    for code in (0, 7, 12):
        matrix = place(tmp_path / "out.usda", "/World/group/bar", code)
        numpy.testing.assert_allclose((numpy.array([-0.5, 0, 0, 1]) @ matrix)[:3], [1, 2, 3], atol=1e-4)
        numpy.testing.assert_allclose(numpy.linalg.norm(matrix[:3, :3], axis=1), [1, 0.1, 0.1], rtol=1e-6)
    assert matrix[3, 1] < 1.51  # a quarter of the period, 1.18 (2 pi) (2 L / 3 g)^1/2 / 4 = 0.48 s, is over


def test_a_drive_holds_a_weight(tmp_path):
    """A slider along y with a spring of 50 N/m holds 1 kg, 9.81 / 50 m lower."""
    stage = stage_of(tmp_path / "s.usda", end=240)
    ball(stage, "/World/ball", at=(0, 1, 0))
    slider = UsdPhysics.PrismaticJoint.Define(stage, "/World/slider")
    slider.CreateBody1Rel().SetTargets(["/World/ball"])
    slider.CreateLocalPos0Attr((0, 1, 0))
    slider.CreateAxisAttr("Y")
    drive = UsdPhysics.DriveAPI.Apply(slider.GetPrim(), "linear")
    drive.CreateStiffnessAttr(50)
    drive.CreateDampingAttr(10)
    stage.Save()
    taut.usd.simulate(stage, tmp_path / "out.usda")
    numpy.testing.assert_allclose(place(tmp_path / "out.usda", "/World/ball", 240)[3, :3], [0, 1 - 9.81 / 50, 0], atol=1e-3)


def angle_of(path, prim, code):
    """Of what turns about z, degrees."""
    matrix = place(path, prim, code)
    return numpy.degrees(numpy.arctan2(matrix[0, 1], matrix[0, 0]))


def test_limits_of_a_hinge_count_from_its_frames(tmp_path):
    """A bar whose frame is turned by 20 degrees against the world's falls to -30 by them, which is -50 from where it starts."""
    stage = stage_of(tmp_path / "s.usda", end=120)
    bar(stage, "/World/bar")
    hinge = UsdPhysics.RevoluteJoint.Define(stage, "/World/hinge")
    hinge.CreateBody1Rel().SetTargets(["/World/bar"])
    hinge.CreateLocalPos1Attr((-0.5, 0, 0))
    hinge.CreateLocalRot1Attr(Gf.Quatf(numpy.cos(numpy.radians(10)), 0, 0, numpy.sin(numpy.radians(10))))
    hinge.CreateAxisAttr("Z")
    hinge.CreateLowerLimitAttr(-30)
    hinge.CreateUpperLimitAttr(60)
    stage.Save()
    limits = taut.usd.read(stage).scene["constraints"][0]["limits"]
    assert limits == pytest.approx({"lower": -50, "upper": 40}, abs=1e-4)
    taut.usd.simulate(stage, tmp_path / "out.usda")
    assert angle_of(tmp_path / "out.usda", "/World/bar", 120) == pytest.approx(-50, abs=0.1)


def test_a_drive_by_velocity_is_a_motor(tmp_path):
    """An angular drive of damping 0.02 N m s for a degree turns a disc up to 90 degrees a second, in time I / D."""
    stage = stage_of(tmp_path / "s.usda", end=24)
    disc = ball(stage, "/World/ball", at=(0, 1, 0))
    hinge = UsdPhysics.RevoluteJoint.Define(stage, "/World/hinge")
    hinge.CreateBody1Rel().SetTargets(["/World/ball"])
    hinge.CreateLocalPos0Attr((0, 1, 0))
    hinge.CreateAxisAttr("Z")
    drive = UsdPhysics.DriveAPI.Apply(hinge.GetPrim(), "angular")
    drive.CreateDampingAttr(0.02)
    drive.CreateTargetVelocityAttr(90)
    stage.Save()
    motor = taut.usd.read(stage).scene["constraints"][0]["motor"]
    assert motor["speed"] == pytest.approx(90) and motor["slip"] == pytest.approx(numpy.pi / 180 / 0.02)
    taut.usd.simulate(stage, tmp_path / "out.usda")
    turned = [angle_of(tmp_path / "out.usda", "/World/ball", code) for code in (22, 24)]
    assert turned[1] - turned[0] == pytest.approx(90 * 2 / 24, rel=0.02)


def test_cones_and_limits_of_sliders(tmp_path):
    stage = stage_of(tmp_path / "s.usda", end=48, unit=0.01)
    ball(stage, "/World/ball", at=(0, 100, 0))
    slider = UsdPhysics.PrismaticJoint.Define(stage, "/World/slider")
    slider.CreateBody1Rel().SetTargets(["/World/ball"])
    slider.CreateLocalPos0Attr((0, 40, 0))
    slider.CreateAxisAttr("Y")
    slider.CreateLowerLimitAttr(20)
    stage.Save()
    scene = taut.usd.read(stage).scene
    assert scene["constraints"][0]["limits"] == pytest.approx({"lower": -0.4})
    taut.usd.simulate(stage, tmp_path / "out.usda")
    assert place(tmp_path / "out.usda", "/World/ball", 48)[3, 1] == pytest.approx(60, abs=0.1)
    joint = UsdPhysics.SphericalJoint.Define(stage, "/World/slider")
    joint.CreateConeAngle0LimitAttr(30)
    joint.CreateConeAngle1LimitAttr(40)
    translation = taut.usd.read(stage)
    assert translation.scene["constraints"][0]["limits"] == {"swing": 40}
    assert [note for note in translation.notes if "the cone of its motion" in note]
    joint.CreateConeAngle0LimitAttr(0)
    joint.CreateConeAngle1LimitAttr(0)
    assert taut.usd.read(stage).scene["constraints"][0]["limits"] == {"swing": 0.1}


@pytest.mark.parametrize("kind", ["capsule", "cone", "cylinder", "box", "sphere", "hull", "mesh"])
def test_masses_of_shapes_are_those_of_fine_meshes(kind, tmp_path):
    trimesh = pytest.importorskip("trimesh")
    stage = stage_of(tmp_path / "s.usda")
    solids = {
        "capsule": (UsdGeom.Capsule, trimesh.creation.capsule(height=0.6, radius=0.2, count=[64, 64])),
        "cone": (UsdGeom.Cone, trimesh.creation.cone(radius=0.2, height=0.6, sections=400)),
        "cylinder": (UsdGeom.Cylinder, trimesh.creation.cylinder(radius=0.2, height=0.6, sections=400)),
        "box": (UsdGeom.Cube, trimesh.creation.box((0.3, 0.3, 0.3))),
        "sphere": (UsdGeom.Sphere, trimesh.creation.icosphere(subdivisions=5, radius=0.2)),
        "hull": (None, trimesh.creation.box((1, 1, 1))), "mesh": (None, trimesh.creation.box((1, 1, 1)))}
    schema, fine = solids[kind]
    prim = (schema.Define(stage, "/World/x") if schema else cube_mesh(stage, "/World/x")).GetPrim()
    for name, value in (("radius", 0.2), ("height", 0.6), ("size", 0.3), ("axis", "Z")):
        if prim.HasAttribute(name):
            prim.GetAttribute(name).Set(value)
    if kind == "hull":
        UsdPhysics.MeshCollisionAPI.Apply(prim).CreateApproximationAttr("convexHull")
    solid = _shapes.solid_of(_shapes.shape_of(prim, taut.usd._read.Space(stage, numpy.array([0]))))
    offset = {"cone": [0, 0, -0.3]}.get(kind, [0, 0, 0])  # of trimesh's origin
    assert solid.volume == pytest.approx(fine.volume, rel=5e-3)
    numpy.testing.assert_allclose(solid.centre, fine.center_mass + offset, atol=1e-3)
    numpy.testing.assert_allclose(solid.inertia, fine.moment_inertia, rtol=1e-2, atol=1e-6)


def test_a_body_of_two_shapes_and_the_density_of_a_material(tmp_path):
    stage = stage_of(tmp_path / "s.usda")
    body = UsdGeom.Xform.Define(stage, "/World/dumbbell")
    UsdPhysics.RigidBodyAPI.Apply(body.GetPrim())
    material = UsdShade.Material.Define(stage, "/World/lead")
    UsdPhysics.MaterialAPI.Apply(material.GetPrim()).CreateDensityAttr(2000)
    for name, x in (("left", -1), ("right", 2)):
        sphere = UsdGeom.Sphere.Define(stage, f"/World/dumbbell/{name}")
        sphere.CreateRadiusAttr(0.1)
        sphere.AddTranslateOp().Set(Gf.Vec3d(x, 0, 0))
        UsdPhysics.CollisionAPI.Apply(sphere.GetPrim())
        UsdShade.MaterialBindingAPI.Apply(sphere.GetPrim()).Bind(material, materialPurpose="physics")
    scene = taut.usd.read(stage).scene
    made, one = scene["objects"][0], 2000 * 4 / 3 * numpy.pi * 1e-3
    assert made["mass"] == pytest.approx(2 * one)
    numpy.testing.assert_allclose(made["positions"], [[0.5, 0, 0]], atol=1e-9)
    across = 2 * one * (0.4 * 0.01 + 1.5**2)
    numpy.testing.assert_allclose(made["inertia"], [0.8 * one * 0.01, across, across, 0, 0, 0], atol=1e-6, rtol=1e-6)
    assert [o["type"] for o in scene["objects"]] == ["rigid", "collider", "collider"]
    assert scene["objects"][1]["material"] == scene["materials"][0]["name"] == "/World/lead"


def test_a_kinematic_body_goes_where_it_is_animated_and_pushes(tmp_path):
    stage = stage_of(tmp_path / "s.usda")
    ball(stage, "/World/pusher", at=(-0.5, 0, 0))
    UsdPhysics.RigidBodyAPI(stage.GetPrimAtPath("/World/pusher")).CreateKinematicEnabledAttr(True)
    op = UsdGeom.Xformable(stage.GetPrimAtPath("/World/pusher")).GetOrderedXformOps()[0]
    for code in range(25):
        op.Set(Gf.Vec3d(-0.5 + code / 24, 0, 0), code)
    ball(stage, "/World/pushed")
    UsdPhysics.Scene.Define(stage, "/World/physics").CreateGravityMagnitudeAttr(0)
    stage.Save()
    taut.usd.simulate(stage, tmp_path / "out.usdc")
    numpy.testing.assert_allclose(place(tmp_path / "out.usdc", "/World/pusher", 24)[3, :3], [0.5, 0, 0], atol=1e-5)
    assert place(tmp_path / "out.usdc", "/World/pushed", 24)[3, 0] > 0.69


def test_an_animated_mesh_carries_a_cloth(tmp_path):
    stage = stage_of(tmp_path / "s.usda")
    box = cube_mesh(stage, "/World/box")
    UsdPhysics.CollisionAPI.Apply(box.GetPrim())
    rest = numpy.array(box.GetPointsAttr().Get())
    for code in range(25):
        box.GetPointsAttr().Set([Gf.Vec3f(*map(float, p)) for p in rest + [0, code / 48, 0]], code)
    sheet = grid(stage, "/World/sheet", size=0.6, height=0.52)
    apply(sheet.GetPrim(), "TautClothAPI", density=0.2, thickness=0.01)
    stage.Save()
    taut.usd.simulate(stage, tmp_path / "out.usdc")
    points = points_of(tmp_path / "out.usdc", "/World/sheet", 24)
    assert 0.99 < points[:, 1].min() and points[:, 1].max() < 1.05


def test_a_skinned_mesh_is_an_animated_collider(tmp_path):
    stage = stage_of(tmp_path / "s.usda", end=4)
    UsdSkel.Root.Define(stage, "/World/man")
    skeleton = UsdSkel.Skeleton.Define(stage, "/World/man/bones")
    skeleton.CreateJointsAttr(["hip"])
    skeleton.CreateBindTransformsAttr([Gf.Matrix4d(1)])
    skeleton.CreateRestTransformsAttr([Gf.Matrix4d(1)])
    walk = UsdSkel.Animation.Define(stage, "/World/man/walk")
    walk.CreateJointsAttr(["hip"])
    for code in range(5):
        walk.SetTransforms([Gf.Matrix4d().SetTranslate(Gf.Vec3d(0, code, 0))], code)
    UsdSkel.BindingAPI.Apply(skeleton.GetPrim()).CreateAnimationSourceRel().SetTargets(["/World/man/walk"])
    skin = cube_mesh(stage, "/World/man/skin")
    UsdPhysics.CollisionAPI.Apply(skin.GetPrim())
    binding = UsdSkel.BindingAPI.Apply(skin.GetPrim())
    binding.CreateSkeletonRel().SetTargets(["/World/man/bones"])
    binding.CreateJointIndicesPrimvar(False, 1).Set([0] * 8)
    binding.CreateJointWeightsPrimvar(False, 1).Set([1.0] * 8)
    ball(stage, "/World/ball", at=(5, 0, 0))
    made = next(o for o in taut.usd.read(stage).scene["objects"] if o["name"] == "/World/man/skin.collider")
    samples = numpy.array(made["animation"]["points"])
    numpy.testing.assert_allclose(samples[4] - samples[0], numpy.tile([0, 4, 0], (8, 1)), atol=1e-6)
    assert not UsdGeom.Mesh(stage.GetPrimAtPath("/World/man/skin")).GetPointsAttr().ValueMightBeTimeVarying()


def test_a_moving_collider_and_an_open_surface(tmp_path):
    stage = stage_of(tmp_path / "s.usda")
    cube = UsdGeom.Cube.Define(stage, "/World/door")
    UsdPhysics.CollisionAPI.Apply(cube.GetPrim())
    turn = cube.AddRotateYOp()
    for code in range(25):
        turn.Set(15.0 * code, code)
    floor = grid(stage, "/World/floor", height=-3)
    UsdPhysics.CollisionAPI.Apply(floor.GetPrim())
    apply(floor.GetPrim(), "TautColliderAPI", thickness=0.02)
    ball(stage, "/World/ball", at=(5, 0, 0))
    made = {o["name"]: o for o in taut.usd.read(stage).scene["objects"]}
    keys = made["/World/door.collider"]["motion"]
    numpy.testing.assert_allclose(keys[-1]["rotate_degrees"], [0, 360, 0], atol=1e-6)
    assert made["/World/floor.collider"]["thickness"] == 0.02


def test_angles_go_on_by_the_nearest_way():
    numpy.testing.assert_allclose(_near(numpy.array([180.0, 80, 180]), numpy.array([0.0, 99, 0])), [0, 100, 0])


@pytest.fixture
def asset(tmp_path):
    """A sheet in a file of its own: UVs, a vertex that no face uses, normals per corner, pinned at two corners."""
    stage = stage_of(tmp_path / "sheet.usda")
    sheet = grid(stage, "/World/sheet")
    points = list(sheet.GetPointsAttr().Get())
    sheet.GetPointsAttr().Set([Gf.Vec3f(7, 7, 7), *points])
    sheet.GetFaceVertexIndicesAttr().Set([i + 1 for i in sheet.GetFaceVertexIndicesAttr().Get()])
    sheet.CreateExtentAttr().Set(UsdGeom.PointBased.ComputeExtent(sheet.GetPointsAttr().Get()))
    primvars = UsdGeom.PrimvarsAPI(sheet.GetPrim())
    primvars.CreatePrimvar("st", Sdf.ValueTypeNames.TexCoord2fArray, "faceVarying").Set([(0.1 * i, 0) for i in range(64)])
    primvars.CreatePrimvar("normals", Sdf.ValueTypeNames.Normal3fArray, "faceVarying").Set([(0, 1, 0)] * 64)
    apply(sheet.GetPrim(), "TautClothAPI", fabric="denim", bend=1e-4, drag=0.5)
    apply(sheet.GetPrim(), "TautPinAPI", pin__vertices=[1, 5])
    stage.Save()
    return tmp_path / "sheet.usda"


def test_a_referenced_sheet_keeps_what_is_not_simulated(asset, tmp_path):
    shot = stage_of(tmp_path / "shot.usda", end=12)
    prim = shot.DefinePrim("/World/flag")
    prim.GetReferences().AddReference("./sheet.usda")
    UsdGeom.Xformable(prim).AddTranslateOp().Set(Gf.Vec3d(0, 5, 0))
    UsdGeom.Imageable(prim).CreatePurposeAttr("render")
    shot.Save()
    (tmp_path / "sims").mkdir()
    out = tmp_path / "sims/flag.usdc"
    taut.usd.simulate(tmp_path / "shot.usda", out)
    assert Sdf.Layer.FindOrOpen(str(out)).subLayerPaths == ["../shot.usda"]
    assert taut.usd.faults(out) == []
    stage = Usd.Stage.Open(str(out))
    flag = UsdGeom.Mesh(stage.GetPrimAtPath("/World/flag/sheet"))
    assert UsdGeom.Imageable(stage.GetPrimAtPath("/World/flag")).ComputePurpose() == "render"
    assert len(UsdGeom.PrimvarsAPI(flag.GetPrim()).GetPrimvar("st").Get()) == 64
    start, end = (numpy.array(flag.GetPointsAttr().Get(code)) for code in (0, 12))
    numpy.testing.assert_array_equal(end[0], [7, 7, 7])
    numpy.testing.assert_allclose(end[[1, 5]], start[[1, 5]], atol=1e-6)
    assert end[20:, 1].max() < -0.1
    speed = 24 * (end - numpy.array(flag.GetPointsAttr().Get(11)))
    numpy.testing.assert_allclose(numpy.array(flag.GetVelocitiesAttr().Get(12))[1:], speed[1:], atol=0.7)
    normals = numpy.array(flag.GetNormalsAttr().Get(12))
    assert flag.GetNormalsInterpolation() == "vertex" and not UsdGeom.PrimvarsAPI(flag).GetPrimvar("normals").HasValue()
    numpy.testing.assert_allclose(numpy.linalg.norm(normals, axis=1), 1, rtol=1e-5)
    assert numpy.array(flag.GetNormalsAttr().Get(0))[1:, 1].min() > 0.999


def test_a_fine_mesh_follows_a_coarse_one(asset, tmp_path):
    stage = stage_of(tmp_path / "shot.usda", end=6)
    stage.OverridePrim("/World").GetReferences().AddReference("./sheet.usda")
    fine = grid(stage, "/World/fine", cells=9, size=0.9)
    fine.GetPrim().ApplyAPI("TautFollowAPI")
    fine.GetPrim().CreateRelationship("taut:follow:target").SetTargets(["/World/sheet"])
    stage.Save()
    taut.usd.simulate(tmp_path / "shot.usda", tmp_path / "out.usdc")
    coarse, followed = (points_of(tmp_path / "out.usdc", prim, 6) for prim in ("/World/sheet", "/World/fine"))
    assert coarse[1:].min(axis=0)[1] - 1e-6 <= followed[:, 1].min() < -0.05


def test_ropes_rods_soft_bodies_and_attachments(tmp_path):
    stage = stage_of(tmp_path / "s.usda", end=5)
    rope = UsdGeom.BasisCurves.Define(stage, "/World/ropes")
    rope.CreateTypeAttr("linear")
    rope.CreateCurveVertexCountsAttr([3, 2])
    rope.CreatePointsAttr([(0, 0, 0), (0, -0.5, 0), (0, -1, 0), (1, 0, 0), (1, -1, 0)])
    rope.CreateWidthsAttr([0.02])
    rope.SetWidthsInterpolation("constant")
    rope.CreateExtentAttr(UsdGeom.Curves.ComputeExtent(rope.GetPointsAttr().Get(), [0.02]))
    apply(rope.GetPrim(), "TautRopeAPI", density=0.1)
    apply(rope.GetPrim(), "TautPinAPI", pin__vertices=[0, 3])
    rod = UsdGeom.BasisCurves.Define(stage, "/World/rod")
    rod.CreateTypeAttr("linear")
    rod.CreateCurveVertexCountsAttr([3])
    rod.CreatePointsAttr([(3, 0, 0), (3.5, 0, 0), (4, 0, 0)])
    apply(rod.GetPrim(), "TautRodAPI", diameter=0.02, density=1000.0, young=1e9)
    rod.GetPrim().CreateAttribute("taut:clamp", Sdf.ValueTypeNames.TokenArray, custom=False).Set(["start"])
    tets = UsdGeom.TetMesh.Define(stage, "/World/soft")
    tets.CreatePointsAttr([(5, 0, 0), (6, 0, 0), (5, 1, 0), (5, 0, 1)])
    tets.CreateTetVertexIndicesAttr([Gf.Vec4i(0, 1, 2, 3)])
    tets.CreateExtentAttr([(5, 0, 0), (6, 1, 1)])
    apply(tets.GetPrim(), "TautSoftAPI", young=1e6)
    ball(stage, "/World/ball", at=(0, -1.2, 0))
    tie = stage.DefinePrim("/World/tie", "TautAttachment")
    tie.CreateRelationship("taut:a").SetTargets(["/World/ropes"])
    tie.CreateRelationship("taut:b").SetTargets(["/World/ball"])
    put(tie, aVertex=2)
    apply(UsdPhysics.Scene.Define(stage, "/World/physics").GetPrim(), "TautSceneAPI", substeps=1)
    stage.Save()
    translation = taut.usd.read(tmp_path / "s.usda")
    assert [o["type"] for o in translation.scene["objects"]] == ["rigid", "collider", "rope", "rope", "rod", "soft"]
    taut.usd.simulate(translation, tmp_path / "out.usda")
    assert taut.usd.faults(tmp_path / "out.usda") == []
    hung, bent, fallen = (points_of(tmp_path / "out.usda", f"/World/{name}", 5) for name in ("ropes", "rod", "soft"))
    numpy.testing.assert_allclose(hung, rope.GetPointsAttr().Get(), atol=5e-3)  # hard, and it hangs
    numpy.testing.assert_allclose(place(tmp_path / "out.usda", "/World/ball", 5)[3, :3], [0, -1.2, 0], atol=5e-3)
    assert -0.1 < bent[2, 1] < 0 and abs(bent[0, 1]) < 1e-6
    numpy.testing.assert_allclose(fallen[:, 1] - [0, 0, 1, 0], -9.81 / 24**2 * 15, rtol=1e-3)


@pytest.mark.skipif(not taut.backend_available("cuda"), reason="there is no CUDA device")
def test_cuda_gives_the_layer_of_the_cpu(tmp_path):
    stage = stage_of(tmp_path / "s.usda", end=2)
    apply(grid(stage, "/World/sheet").GetPrim(), "TautClothAPI", density=0.2)
    ball(stage, "/World/ball", at=(3, 0, 0))
    stage.Save()
    for backend in ("cpu", "cuda"):
        taut.usd.simulate(tmp_path / "s.usda", tmp_path / f"{backend}.usdc", backend=backend)
    for what, prim in ((points_of, "/World/sheet"), (place, "/World/ball")):
        numpy.testing.assert_allclose(what(tmp_path / "cuda.usdc", prim, 2), what(tmp_path / "cpu.usdc", prim, 2), atol=1e-5)


def curve(stage, path, width=None):
    made = UsdGeom.BasisCurves.Define(stage, path)
    made.CreateTypeAttr("linear")
    made.CreateCurveVertexCountsAttr([3])
    made.CreatePointsAttr([(0, 0, 0), (0.1, 0, 0), (0.2, 0, 0)])
    if width:
        made.CreateWidthsAttr([width])
    return made


def test_what_collides_by_usdphysics_has_a_thickness(tmp_path):
    stage = stage_of(tmp_path / "s.usda", unit=0.1)
    apply(grid(stage, "/World/cloth", cells=25, size=10.0).GetPrim(), "TautClothAPI", density=0.2)
    apply(grid(stage, "/World/coarse").GetPrim(), "TautClothAPI", density=0.2)
    apply(grid(stage, "/World/own").GetPrim(), "TautClothAPI", density=0.2, thickness=0.02)
    tets = UsdGeom.TetMesh.Define(stage, "/World/soft")
    tets.CreatePointsAttr([(5, 0, 0), (6, 0, 0), (5, 1, 0), (5, 0, 1)])
    tets.CreateTetVertexIndicesAttr([Gf.Vec4i(0, 1, 2, 3)])
    apply(tets.GetPrim(), "TautSoftAPI")
    apply(curve(stage, "/World/rope", width=0.2).GetPrim(), "TautRopeAPI", density=0.1)
    apply(curve(stage, "/World/line").GetPrim(), "TautRopeAPI", density=0.1)
    apply(curve(stage, "/World/rod", width=0.3).GetPrim(), "TautRodAPI", density=1000.0, young=1e9)

    def contacts():
        return {o["name"][7:]: o.get("contact") for o in taut.usd.read(stage).scene["objects"]}

    assert {name for name, contact in contacts().items() if contact} == {"own"}
    for prim in stage.GetPrimAtPath("/World").GetChildren():
        UsdPhysics.CollisionAPI.Apply(prim)
    found = contacts()
    assert found["cloth"]["thickness"] == pytest.approx(0.1 * 0.04)  # a tenth of an edge
    assert found["coarse"]["thickness"] == pytest.approx(5e-3 * 0.1)  # at most a two-hundredth of the extent
    assert found["soft"]["radius"] == pytest.approx(5e-3 * 0.1 / 2)
    assert found["own"]["thickness"] == 0.02
    assert [found[name]["radius"] for name in ("rope", "rod", "line")] == pytest.approx([0.01, 0.015, 5e-5])
    taut.load(taut.usd.read(stage).scene)
    UsdPhysics.CollisionAPI(stage.GetPrimAtPath("/World/cloth")).CreateCollisionEnabledAttr(False)
    assert not contacts()["cloth"]


def test_cloth_of_usdphysics_lies_on_a_collider(tmp_path):
    stage = stage_of(tmp_path / "s.usda", end=24)
    box = UsdGeom.Cube.Define(stage, "/World/box")
    box.CreateSizeAttr(2)
    box.AddTranslateOp().Set(Gf.Vec3d(0, -1.1, 0))
    sheet = grid(stage, "/World/sheet", cells=8).GetPrim()
    apply(sheet, "TautClothAPI", fabric="cotton")
    for prim in (box.GetPrim(), sheet):
        UsdPhysics.CollisionAPI.Apply(prim)
    stage.Save()
    taut.usd.simulate(tmp_path / "s.usda", tmp_path / "out.usdc")
    heights = points_of(tmp_path / "out.usdc", "/World/sheet", 24)[:, 1]
    assert -0.1 < heights.min() and heights.max() < -0.09


def test_simulate_tells_what_is_left_out(tmp_path):
    stage = stage_of(tmp_path / "s.usda", end=1)
    ball(stage, "/World/ball")
    joint = UsdPhysics.DistanceJoint.Define(stage, "/World/joint")
    joint.CreateBody1Rel().SetTargets(["/World/ball"])
    translation = taut.usd.read(stage)
    with pytest.warns(UserWarning) as told:
        taut.usd.simulate(stage, tmp_path / "out.usdc")
    assert [str(warning.message) for warning in told] == translation.notes != []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        taut.usd.simulate(translation, tmp_path / "out.usdc")


def test_pins_follow_an_animated_prim(asset, tmp_path):
    stage = stage_of(tmp_path / "shot.usda", end=6)
    stage.OverridePrim("/World").GetReferences().AddReference("./sheet.usda")
    hand = UsdGeom.Xform.Define(stage, "/World/hand").AddTranslateOp()
    for code in range(7):
        hand.Set(Gf.Vec3d(0, 0.1 * code, 0), code)
    stage.GetPrimAtPath("/World/sheet").CreateRelationship("taut:pin:target").SetTargets(["/World/hand"])
    stage.Save()
    taut.usd.simulate(tmp_path / "shot.usda", tmp_path / "out.usdc")
    points = points_of(tmp_path / "out.usdc", "/World/sheet", 6)
    numpy.testing.assert_allclose(points[[1, 5], 1], 0.6, atol=1e-6)


@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize("left", [False, True])
def test_pressure_acts_along_normals_of_what_is_mirrored_too(mirrored, left, tmp_path):
    stage = stage_of(tmp_path / "s.usda", end=6)
    UsdGeom.Xform.Define(stage, "/World/half").AddScaleOp().Set(Gf.Vec3f(-1 if mirrored else 1, 1, 1))
    sheet = grid(stage, "/World/half/sheet")  # whose normals point up, by the right hand
    if left:
        sheet.CreateOrientationAttr(UsdGeom.Tokens.leftHanded)
    apply(sheet.GetPrim(), "TautClothAPI", density=0.2, pressure=5.0)
    UsdPhysics.Scene.Define(stage, "/World/physics").CreateGravityMagnitudeAttr(0)
    stage.Save()
    taut.usd.simulate(tmp_path / "s.usda", tmp_path / "out.usdc")
    moved = points_of(tmp_path / "out.usdc", "/World/half/sheet", 6)[:, 1].mean()
    assert moved < -0.1 if left else moved > 0.1


def _cloth_of_no_mass(stage):
    apply(grid(stage, "/World/s").GetPrim(), "TautClothAPI", young=1000.0)


def _cloth_of_no_fabric(stage):
    apply(grid(stage, "/World/s").GetPrim(), "TautClothAPI", fabric="tweed")


@pytest.mark.parametrize("author, key", [(_cloth_of_no_mass, "density"), (_cloth_of_no_fabric, "fabric")])
def test_what_a_scene_refuses_has_the_name_of_its_prim(author, key, tmp_path):
    stage = stage_of(tmp_path / "s.usda")
    author(stage)
    with pytest.raises(taut.Error, match=f"/World/s.{key}: "):
        taut.usd.simulate(stage, tmp_path / "out.usdc")


def _nothing(stage):
    pass


def _a_face_of_no_point(stage):
    apply(mesh(stage, "/World/s", [(0, 0, 0), (1, 0, 0), (0, 0, 1)], [3], [0, 2, 77]).GetPrim(), "TautClothAPI", density=1.0)


def _cloth_on_a_cube(stage):
    UsdGeom.Cube.Define(stage, "/World/c").GetPrim().ApplyAPI("TautClothAPI")


def _an_egg(stage):
    ball(stage, "/World/b").AddScaleOp().Set(Gf.Vec3f(1, 2, 1))


def _a_pin_of_no_vertex(stage):
    sheet = grid(stage, "/World/s").GetPrim()
    apply(sheet, "TautClothAPI", density=1.0)
    apply(sheet, "TautPinAPI", pin__vertices=[99])


def _a_joint_of_nothing(stage):
    ball(stage, "/World/b")
    UsdPhysics.FixedJoint.Define(stage, "/World/j")


def _an_instance(stage):
    ball(stage, "/Proto/b")
    prim = stage.DefinePrim("/World/i")
    prim.GetReferences().AddInternalReference("/Proto")
    prim.SetInstanceable(True)


@pytest.mark.parametrize("author, sentence", [
    (_nothing, "nothing to simulate"), (_cloth_on_a_cube, "/World/c: is a Cube; a Mesh is needed"),
    (_an_egg, "/World/b: is scaled to an ellipsoid"), (_a_pin_of_no_vertex, "/World/s: has no simulated vertex 99"),
    (_a_face_of_no_point, "/World/s: its faces are none, or do not fit its 3 points"),
    (_a_joint_of_nothing, "/World/j: neither side"), (_an_instance, "is in an instance")])
def test_what_is_refused(author, sentence, tmp_path):
    stage = stage_of(tmp_path / "s.usda")
    author(stage)
    with pytest.raises(ValueError, match=sentence):
        taut.usd.read(stage)


@pytest.mark.skipif(not EXAMPLE.is_file(), reason="installed without the sources")
def test_the_command_line(tmp_path):
    done = subprocess.run([sys.executable, "-m", "taut.usd", EXAMPLE, "--frames", "0:6", "--out", tmp_path / "sim.usdc", "--scene-out",
                           tmp_path / "scene"], check=True, capture_output=True, text=True)
    assert "6 frames, 0 not converged; done" in done.stdout
    assert taut.usd.faults(EXAMPLE) == [] and taut.usd.faults(tmp_path / "sim.usdc") == []
    assert taut.load(tmp_path / "scene/scene.json").frames == 6
    failed = subprocess.run([sys.executable, "-m", "taut.usd", tmp_path / "none.usda"], capture_output=True, text=True)
    assert failed.returncode == 2 and "none.usda" in failed.stderr and "Traceback" not in failed.stderr
