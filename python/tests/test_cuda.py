"""A package that was built with the CUDA backend, which TAUT_WITH_CUDA says: with a device and without."""

import os

import pytest

import taut

pytestmark = pytest.mark.skipif("TAUT_WITH_CUDA" not in os.environ, reason="the package has not been built with CUDA on purpose")


def test_cuda_is_in_it_and_says_why_it_cannot(pendulum):
    if taut.backend_available("cuda"):
        assert taut.cuda_devices() and taut.World(pendulum, backend="cuda").backend == "cuda"
    else:
        with pytest.raises(taut.Error, match="^CUDA: ") as raised:  # a sentence of the driver
            taut.World(pendulum, backend="cuda")
        assert raised.value.status == "TAUT_BACKEND_UNAVAILABLE" and "\n" not in str(raised.value)


def test_the_backend_is_that_which_there_is(pendulum):
    with taut.World(pendulum) as world:
        world.step(1 / 60)
        assert world.backend == ("cuda" if taut.backend_available("cuda") else "cpu")
        assert world.read("positions")[1, 1] == pytest.approx(-9.81 / 60**2, rel=0.05)
