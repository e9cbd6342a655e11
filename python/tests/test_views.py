"""Views of a world's memory: as arrays of NumPy, for readers of DLPack, and on a device."""

import copy
import ctypes
import pathlib
import pickle

import numpy
import pytest

import taut

cuda = pytest.mark.skipif(not taut.backend_available("cuda"), reason="there is no CUDA device")
numpy_reads_dlpack = pytest.mark.skipif(not hasattr(numpy, "from_dlpack"), reason="NumPy is older than DLPack")


class OldConsumer:
    """Hands an array on as a reader of DLPack before 1.0 asks for it: it cannot be told that memory is read-only."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__()

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def falling(backend, **members):
    scene = taut.Scene()
    scene.add_particles(positions=numpy.arange(12.0).reshape(4, 3), mass=0.1)
    scene.add_distances(particles=[[0, 1]], compliance=1)
    return taut.World(scene, backend=backend, cuda_device=-1, **members)


def test_a_stream_means_nothing_on_the_cpu():
    """A program says which stream it has, whichever backend there is."""
    worlds = [falling("cpu"), falling("cpu", cuda_stream=0), falling("cpu", cuda_stream=0x7F0000001000)]
    for world in worlds:
        world.step(1 / 60)
        numpy.testing.assert_array_equal(world.positions, worlds[0].positions)
    for wrong in ("stream", -1, 1.5, 2**64):
        with pytest.raises(TypeError, match="^cuda_stream: cannot be"):
            falling("cpu", cuda_stream=wrong)


# ---- on the host ---------------------------------------------------------------------------------------------------------------


@numpy_reads_dlpack
@pytest.mark.parametrize("field", ["positions", "positions_f32", "velocities", "violations", "multipliers"])
@pytest.mark.parametrize("consumer", [OldConsumer, lambda view: view])
def test_dlpack_has_the_memory_itself(field, consumer):
    world = falling("cpu")
    view = getattr(world, field)
    taken = numpy.from_dlpack(consumer(view))
    assert taken.dtype == view.dtype and numpy.shares_memory(taken, view)
    world.step(1 / 60)
    numpy.testing.assert_array_equal(taken, view)
    world.close()
    numpy.testing.assert_array_equal(taken, view)


@numpy_reads_dlpack
def test_dlpack_of_a_part_and_a_copy():
    view = falling("cpu").positions
    numpy.testing.assert_array_equal(numpy.from_dlpack(OldConsumer(view[1:3, ::2])), [[3, 5], [6, 8]])
    assert not numpy.shares_memory(numpy.from_dlpack(OldConsumer(view.copy())), view)
    part = view[::-1]
    numpy.testing.assert_array_equal(numpy.from_dlpack(OldConsumer(part)), numpy.arange(12.0).reshape(4, 3)[::-1])


@pytest.mark.parametrize("library", ["jax", "torch"])
def test_libraries_take_views(library):
    taker = pytest.importorskip(library)
    view = falling("cpu").positions_f32
    taken = (taker.dlpack if library == "jax" else taker).from_dlpack(view)
    numpy.testing.assert_array_equal(numpy.asarray(taken), view)


def test_what_comes_of_a_view_is_plain_and_cannot_change_the_world():
    view = falling("cpu").positions
    with pytest.raises(ValueError, match="read-only"):
        view[0] = 0
    with pytest.raises(ValueError):
        view.flags.writeable = True
    part = view[1:]
    assert isinstance(part, numpy.ndarray) and not part.flags.writeable
    made = [view + 1, view.sum(axis=0), view[[0, 2]], view[view > 3], numpy.stack([view, view]), view.copy(), copy.deepcopy(view),
            pickle.loads(pickle.dumps(view)), numpy.sqrt(view), numpy.array(view)]
    assert [(type(array), array.flags.writeable) for array in made] == [(numpy.ndarray, True)] * len(made)
    assert type(view.sum()) is numpy.float64 and type(view[1, 1]) is numpy.float64
    assert repr(view[:1]) == "array([[0., 1., 2.]])"


# ---- on a device ---------------------------------------------------------------------------------------------------------------


class OfNumba:
    """An array on a device that has __cuda_array_interface__ alone."""

    def __init__(self, view):
        self.__cuda_array_interface__ = view.__cuda_array_interface__
        self.kept = view


@cuda
def test_a_view_on_a_device_describes_itself():
    world = falling("cuda")
    x = world.positions
    assert (x.shape, x.dtype, x.ndim, x.size, len(x), x.nbytes) == ((4, 3), numpy.float64, 2, 12, 4, 96)
    assert x.__dlpack_device__() == (2, 0) and type(x.__dlpack__()).__name__ == "PyCapsule"
    assert world.violations.shape == (1,) and world.positions_f32.dtype == numpy.float32
    told = x.__cuda_array_interface__
    assert (told["shape"], told["typestr"], told["version"]) == ((4, 3), "<f8", 3) and told["data"][0] > 0


def runtime_of_cuda():
    """The one that the extension calls: what is preloaded, such as an emulator, or the library that it has loaded."""
    taut.cuda_devices()
    if hasattr(ctypes.CDLL(None), "cudaStreamCreateWithFlags"):
        return ctypes.CDLL(None)
    loaded = [line.split()[-1] for line in pathlib.Path("/proc/self/maps").read_text().splitlines() if "libcudart" in line]
    return ctypes.CDLL(loaded[0]) if loaded else pytest.skip("the extension has the runtime of CUDA in itself")


@cuda
def test_steps_are_on_the_stream_of_another_library():
    """As on torch.cuda.current_stream(): what is enqueued there after a step finds it done, and nothing else waits."""
    cudart, stream, out = runtime_of_cuda(), ctypes.c_void_p(), numpy.empty((4, 3))
    assert cudart.cudaStreamCreateWithFlags(ctypes.byref(stream), 1) == 0  # does not wait for the default stream
    world, expected = falling("cuda", cuda_stream=stream.value), falling("cpu")
    memory = ctypes.c_void_p(world.positions.__cuda_array_interface__["data"][0])
    for _ in range(3):
        world.step(1 / 60)
        expected.step(1 / 60)
    assert cudart.cudaMemcpyAsync(ctypes.c_void_p(out.ctypes.data), memory, ctypes.c_size_t(out.nbytes), 2, stream) == 0
    assert cudart.cudaStreamSynchronize(stream) == 0
    numpy.testing.assert_allclose(out, expected.positions, atol=1e-6)
    assert abs(out - numpy.arange(12.0).reshape(4, 3)).max() > 0.01
    world.close()
    assert cudart.cudaStreamDestroy(stream) == 0


@cuda
def test_a_view_on_a_device_comes_to_the_host_where_that_is_asked_for():
    x = falling("cuda").positions
    if numpy.lib.NumpyVersion(numpy.__version__) >= "2.1.0":  # before, it could not be asked
        numpy.testing.assert_array_equal(numpy.from_dlpack(x, device="cpu"), numpy.arange(12.0).reshape(4, 3))
    with pytest.raises(BufferError):
        x.__dlpack__(copy=True)


@cuda
def test_parts_of_a_view_on_a_device():
    world, all_of_it = falling("cuda"), numpy.arange(12.0).reshape(4, 3)
    world.step(1 / 60)
    moved = world.read("positions")
    for key in [slice(1, 3), (slice(None), 1), (slice(None, None, -1), slice(0, 2)), 2, (1, 2), -1, Ellipsis, (Ellipsis, 0), slice(4, 9)]:
        part = numpy.asarray(world.positions[key])
        numpy.testing.assert_array_equal(part, moved[key])
        assert part.shape == all_of_it[key].shape
    with pytest.raises(IndexError):
        world.positions[4]
    with pytest.raises(TypeError, match="whole numbers and slices"):
        world.positions[[0, 1]]


@cuda
def test_a_simulation_has_the_points_of_an_object_on_a_device(cloth_file):
    with taut.Simulation(cloth_file, backend="cuda") as simulation:
        simulation.step()
        cloth = simulation.objects["cloth"].points
        shown = numpy.asarray(simulation.positions("cloth"))
        numpy.testing.assert_array_equal(shown, simulation.world.read("positions", cloth.start, len(cloth)))
        assert simulation.orientations("ball").shape == (1, 4)


@cuda
@pytest.mark.parametrize("handed", [lambda view: view, OldConsumer, OfNumba])
def test_setters_take_arrays_on_a_device(handed):
    world = falling("cuda")
    world.velocities = handed(world.positions)
    numpy.testing.assert_array_equal(world.read("velocities"), numpy.arange(12.0).reshape(4, 3))
    world.write("positions", handed(world.positions[1:3]), first=0)
    numpy.testing.assert_array_equal(world.read("positions", 0, 2), [[3, 4, 5], [6, 7, 8]])
    world.set_forces(handed(world.positions_f32))
    world.set_forces(handed(world.velocities[0]))


@cuda
def test_a_view_on_a_device_outlives_its_world():
    world = falling("cuda")
    x = world.positions
    world.close()
    numpy.testing.assert_array_equal(numpy.asarray(x), numpy.arange(12.0).reshape(4, 3))


def test_arrays_on_a_device_need_cuda():
    class Elsewhere:
        def __dlpack_device__(self):
            return 2, 0

        def __dlpack__(self, *, stream):
            return taut._taut.exported(0x1000, [1, 3], [3, 1], "f", 8, 0, False, self).__dlpack__()

    if taut.backend_available("cuda"):
        pytest.skip("there is a device")
    with pytest.raises((TypeError, RuntimeError), match="lies on a device, and this build of taut has no CUDA: copy it to the host first"
                       "|an array on a device cannot be copied: CUDA"):
        falling("cpu").set_forces(Elsewhere())
