"""Views of a world's memory, for NumPy and for everything that takes DLPack."""

from __future__ import annotations

import collections.abc
import typing

import numpy
import numpy.typing

from . import _taut

_ON_THE_HOST = 1
_ON_A_DEVICE = (2, 13)  # of DLPack: memory of CUDA, and what its driver moves
_DEFAULT_STREAM = 1  # of DLPack and of CUDA


def _exported(address: int, shape: tuple[int, ...], strides: tuple[int, ...], dtype: numpy.dtype, device: int, writable: bool,
              owner: object) -> typing.Any:
    """Memory that `owner` keeps, for DLPack. strides: bytes; device: -1 is the host."""
    elements = [stride // dtype.itemsize for stride in strides]
    return _taut.exported(address, list(shape), elements, dtype.kind, dtype.itemsize, device, writable, owner)


class View(numpy.ndarray):
    """Memory of a world on the host: a read-only array of NumPy that DLPack exports, too.

    NumPy refuses to export what is read-only to readers of DLPack before 1.0, since these are not told so. A view goes out all the
    same, without a copy: they must not write to it.

    >>> scene = taut.Scene()
    >>> points = scene.add_particles(positions=[[0, 1, 0]])
    >>> x = taut.World(scene, backend="cpu").positions
    >>> type(x), x.flags.writeable, type(x + 1) is numpy.ndarray
    (<class 'taut._views.View'>, False, True)
    >>> numpy.from_dlpack(x)
    array([[0., 1., 0.]])
    """

    def __dlpack__(self, *, stream: typing.Any = None, max_version: tuple[int, int] | None = None,
                   dl_device: tuple[int, int] | None = None, copy: bool | None = None) -> typing.Any:
        shown = numpy.array(self) if copy else self
        exported = _exported(shown.__array_interface__["data"][0], shown.shape, shown.strides, shown.dtype, -1, shown.flags.writeable, shown)
        return exported.__dlpack__(max_version=max_version, dl_device=dl_device)

    def __array_wrap__(self, array: numpy.ndarray, context: typing.Any = None, return_scalar: bool = False) -> typing.Any:
        plain = numpy.asarray(array)
        return plain[()] if return_scalar or plain.ndim == 0 else plain

    def __getitem__(self, key: typing.Any) -> typing.Any:
        found = numpy.asarray(self)[key]
        return found.view(View) if isinstance(found, numpy.ndarray) and numpy.may_share_memory(found, self) else found

    def copy(self, order: typing.Any = "C") -> typing.Any:
        return numpy.array(self, order=order)

    def __repr__(self) -> str:
        return repr(numpy.asarray(self))

    def __deepcopy__(self, memo: typing.Any) -> typing.Any:
        return numpy.array(self)

    def __reduce__(self) -> typing.Any:
        return numpy.array(self).__reduce__()


class DeviceView:
    """Memory of a world on a CUDA device. It has __dlpack__ and __cuda_array_interface__, by which PyTorch, JAX, CuPy, Warp and Numba
    take it without a copy, and may read it until the next step; they must not write to it. numpy.asarray(view) is a copy on the host.

    Indexing by whole numbers and slices gives views of a part, as that of NumPy does. Making a view and handing it on wait for the
    steps that were asked for before.
    """

    def __init__(self, address: int, shape: tuple[int, ...], strides: tuple[int, ...], dtype: typing.Any, device: int,
                 wait: collections.abc.Callable[[], object]) -> None:
        self.shape, self.strides, self.dtype, self.device = shape, strides, numpy.dtype(dtype), device  # strides: bytes
        self._address, self._wait = address, wait  # which keeps the memory

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return int(numpy.prod(self.shape, dtype=numpy.int64))

    @property
    def nbytes(self) -> int:
        return self.size * self.dtype.itemsize

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("a single number has no length")
        return self.shape[0]

    def __repr__(self) -> str:
        return f"DeviceView(shape={self.shape}, dtype={self.dtype}, device={self.device})"

    def __getitem__(self, key: typing.Any) -> DeviceView:
        keys = list(key) if isinstance(key, tuple) else [key]
        if not all(isinstance(k, (int, numpy.integer, slice)) and not isinstance(k, bool) or k is Ellipsis for k in keys):
            raise TypeError("views on a device take whole numbers and slices; numpy.asarray(view) takes every index")
        one = numpy.zeros((), self.dtype)  # the same steps on addresses that nobody reads
        whole = numpy.lib.stride_tricks.as_strided(one, self.shape, self.strides)
        part = whole[tuple(keys if Ellipsis in keys else [*keys, ...])]
        moved = part.__array_interface__["data"][0] - one.__array_interface__["data"][0]
        return DeviceView(self._address + moved, part.shape, part.strides, self.dtype, self.device, self._wait)

    def __dlpack_device__(self) -> tuple[int, int]:
        return _ON_A_DEVICE[0], self.device

    def __dlpack__(self, *, stream: typing.Any = None, max_version: tuple[int, int] | None = None,
                   dl_device: tuple[int, int] | None = None, copy: bool | None = None) -> typing.Any:
        if dl_device is not None and dl_device[0] == _ON_THE_HOST:
            return numpy.asarray(self).view(View).__dlpack__(max_version=max_version)
        self._wait()  # the consumer's stream finds the memory as it is now
        exported = _exported(self._address, self.shape, self.strides, self.dtype, self.device, False, self._wait)
        return exported.__dlpack__(max_version=max_version, dl_device=dl_device, copy=copy)

    @property
    def __cuda_array_interface__(self) -> dict[str, typing.Any]:
        self._wait()
        # Not said to be read-only: PyTorch and others refuse that, and DLPack before 1.0 cannot say it either.
        return {"shape": self.shape, "strides": self.strides, "typestr": self.dtype.str, "data": (self._address if self.size else 0, False),
                "version": 3, "stream": None}

    def __array__(self, dtype: typing.Any = None, copy: bool | None = None) -> numpy.ndarray:
        if copy is False:
            raise ValueError("a view on a device becomes an array of NumPy by a copy")
        return numpy.asarray(_taut.copied_to_host(self.__dlpack__()), dtype)


class SupportsDLPack(typing.Protocol):
    """An array of another library, on the host or a device."""

    def __dlpack__(self, *, stream: typing.Any = None) -> typing.Any: ...

    def __dlpack_device__(self) -> tuple[typing.Any, typing.Any]: ...


class SupportsCudaArrayInterface(typing.Protocol):
    """An array on a CUDA device, such as one of Numba."""

    @property
    def __cuda_array_interface__(self) -> dict[str, typing.Any]: ...


# What everything that takes an array takes.
ArrayLike = typing.Union[numpy.typing.ArrayLike, SupportsDLPack, SupportsCudaArrayInterface]


def _packed(shape: tuple[int, ...], itemsize: int) -> tuple[int, ...]:
    """Strides of an array without gaps."""
    return tuple(itemsize * int(numpy.prod(shape[axis + 1 :], dtype=numpy.int64)) for axis in range(len(shape)))


def _of_interface(given: typing.Any) -> typing.Any:
    """What has __cuda_array_interface__ alone, such as an array of Numba, as DLPack has it."""
    told = given.__cuda_array_interface__
    dtype, shape = numpy.dtype(told["typestr"]), tuple(told["shape"])
    if told.get("stream"):
        _taut.wait_for_stream(told["stream"])
    strides = told.get("strides") or _packed(shape, dtype.itemsize)
    return _exported(told["data"][0], shape, tuple(strides), dtype, 0, False, given).__dlpack__()


def on_host(given: typing.Any) -> typing.Any:
    """An array that lies on a device as one of NumPy, by a copy; everything else as it is."""
    if hasattr(given, "__dlpack_device__"):
        on_a_device = given.__dlpack_device__()[0] in _ON_A_DEVICE
        return _taut.copied_to_host(given.__dlpack__(stream=_DEFAULT_STREAM)) if on_a_device else given
    return _taut.copied_to_host(_of_interface(given)) if hasattr(given, "__cuda_array_interface__") else given
