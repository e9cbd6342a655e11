"""The operators and matrices of a step for SciPy, which this module alone needs.

    h = 1 / 60
    step = taut.operators.linearise(world, h)
    gam, _ = scipy.sparse.linalg.cg(step.S, step.b)         constraint impulses: S gam = b
    matrices = taut.operators.assemble(world)
    matrices.J, matrices.M                                  scipy.sparse.csr_array

n = 3 (points + frames) unknowns, m rows of constraints and contacts; docs/mathematics.md has the formulas."""

from __future__ import annotations

import collections.abc
import typing

import numpy
import scipy.sparse
import scipy.sparse.linalg

from . import _taut

__all__ = ["Linearisation", "Matrices", "Solution", "assemble", "linearise", "solve"]


class Linearisation:
    """The linear operators of a step of h seconds at the state where it was made. A step, a write or another linearisation of the
    world (`solve` makes some) ends it; applying an operator raises taut.Error then.

    J: m x n, Jacobian of the constraints, with its transpose
    A: n x n, P A P: masses, stabilising geometric stiffness, tangents of force elements; symmetric
    A_inverse: n x n, (P A P)^+
    S: m x m, J (P A P)^+ J^T + W, the Schur complement; symmetric
    W: m x m, C/(h l), compliance; symmetric
    G: n x n, exact geometric stiffness
    H: n x n, the matrix of the condensed system, as its solver has it in float32; symmetric
    B: n x n, its preconditioner: a cycle of the multilevel one
    b: m values, S gam = b; r: n values, A dv = r + J^T gam
    """

    def __init__(self, world: _taut.World, h: float) -> None:
        self.world, self.h = world, h
        self.m = world.linearise(h)
        self._number = world.linearisations
        self.n = 3 * (world.particle_count + world.frame_count)
        self.J = self._operator((self.m, self.n), "j", "jt")
        self.A = self._operator((self.n, self.n), "a", "a")
        self.A_inverse = self._operator((self.n, self.n), "a_inverse", "a_inverse")
        self.S = self._operator((self.m, self.m), "s", "s")
        self.W = self._operator((self.m, self.m), "w", "w")
        self.G = self._operator((self.n, self.n), "g", None)
        self.H = self._operator((self.n, self.n), "h", "h")
        self.B = self._operator((self.n, self.n), "preconditioner", "preconditioner")

    def _operator(self, shape: tuple[int, int], name: str, transpose: str | None) -> scipy.sparse.linalg.LinearOperator:
        def apply(which):
            return lambda vector: self._apply(which, numpy.asanyarray(vector).reshape(-1))

        return scipy.sparse.linalg.LinearOperator(shape, matvec=apply(name), rmatvec=apply(transpose) if transpose else None,
                                                  dtype=numpy.float64)

    def _apply(self, which: str, vector: numpy.ndarray) -> numpy.ndarray:
        if numpy.iscomplexobj(vector):  # the operators are real
            return self._apply(which, vector.real) + 1j * self._apply(which, vector.imag)
        return self._world().apply(which, vector.astype(float) if vector.dtype == bool else vector)

    def _world(self) -> _taut.World:
        """The world, as long as it has this linearisation."""
        if self.world.linearisations != self._number:
            error = _taut.Error("operators: the world has been linearised again since; these operators are gone.")
            error.status = "TAUT_INVALID_ARGUMENT"
            raise error
        return self.world

    @property
    def b(self) -> numpy.ndarray:
        return self._world().right_hand_side("s")

    @property
    def r(self) -> numpy.ndarray:
        return self._world().right_hand_side("a")

    def velocity_change(self, impulses: numpy.ndarray) -> numpy.ndarray:
        """The motion dv = A^-1 (r + J^T gam) of a step with these impulses, n values, m/s and rad/s."""
        return self.A_inverse @ (self.r + self.J.rmatvec(impulses))


def linearise(world: _taut.World, h: float) -> Linearisation:
    """Linearises a world for a step of h seconds, without a step."""
    return Linearisation(world, h)


class Solution(typing.NamedTuple):
    """What solve has found. dv: n values, m/s and rad/s; residuals: |b - matrix x|/|b| at the start and after each
    iteration; converged: whether the last one is at most the tolerance."""

    dv: numpy.ndarray
    residuals: list[float]
    converged: bool


def _conjugate_gradients(matrix, preconditioner, side, tolerance, most, callback):
    x, r = numpy.zeros_like(side), side.copy()
    z = preconditioner @ r
    p, rz, scale = z.copy(), r @ z, float(numpy.linalg.norm(side)) or 1.0
    residuals = [float(numpy.linalg.norm(r) / scale)]
    while residuals[-1] > tolerance and len(residuals) <= most:
        q = matrix @ p
        step = rz / (p @ q)
        x += step * p
        r -= step * q
        residuals.append(float(numpy.linalg.norm(r) / scale))
        if callback is not None:
            callback(len(residuals) - 1, residuals[-1], x)
        z = preconditioner @ r
        rz, before = r @ z, rz
        p = z + rz / before * p
    return x, residuals


def _condensed_side(step: Linearisation, world: _taut.World) -> numpy.ndarray:
    """P (r + J^T W^-1 c) with the rows' right-hand side c = b + J A^-1 r: what the motion of a step is H^-1 of."""
    assembly = world.assemble()
    blocks, free = assembly.blocks(), assembly.csr("p")[0]
    blocks = blocks[~blocks["force"]]
    width = int(blocks["rows"].max())
    inside = numpy.arange(width) < blocks["rows"][:, None]
    rows = blocks["first_row"].astype(numpy.int64)[:, None] + numpy.where(inside, numpy.arange(width), 0)
    dense = numpy.tile(numpy.eye(width), (len(blocks), 1, 1))
    for k in range(width):  # W is block diagonal: a column of every block at once
        probe = numpy.zeros(step.m)
        probe[rows[inside[:, k], k]] = 1
        column = (step.W @ probe)[rows]
        dense[:, :, k] = numpy.where(inside & inside[:, k : k + 1], column, dense[:, :, k])
    if (numpy.abs(numpy.linalg.det(dense)) == 0).any():
        raise ValueError("hard rows have no condensed system without a shift; method='schur' solves for them")
    c = step.b + step.J @ (step.A_inverse @ step.r)
    solved = numpy.linalg.solve(dense, numpy.where(inside, c[rows], 0)[..., None])[..., 0]
    impulses = numpy.zeros(step.m)
    impulses[rows[inside]] = solved[inside]
    return free * (step.r + step.J.rmatvec(impulses))


def solve(world: _taut.World, h: float, *, method: str = "condensed", preconditioned: bool = True, tolerance: float = 1e-6,
          max_iterations: int = 1000, callback: collections.abc.Callable[[int, float, numpy.ndarray], object] | None = None,
          ) -> Solution:
    """The linear system of a step of h seconds at the current state, by conjugate gradients in float64, without a step.

    method: 'condensed', H dv = r + J^T W^-1 c with the world's preconditioner of that system (or none); 'schur', S gam = b
    without one. callback(iteration, residual, x) is called after each iteration. Bounds of rows and laws of contacts are no
    part of it, and the start is 0: for plots and for experiments with preconditioners, not for speed."""
    if method not in ("condensed", "schur"):
        raise ValueError(f"method is {method!r}; it is 'condensed' or 'schur'")
    step = linearise(world, h)
    if method == "schur":
        one = scipy.sparse.linalg.aslinearoperator(scipy.sparse.identity(step.m))
        gam, residuals = _conjugate_gradients(step.S, one, step.b, tolerance, max_iterations, callback)
        return Solution(step.velocity_change(gam), residuals, residuals[-1] <= tolerance)
    side = _condensed_side(step, world)
    step = linearise(world, h)  # assembling ends a linearisation
    one = step.B if preconditioned else scipy.sparse.linalg.aslinearoperator(scipy.sparse.identity(step.n))
    dv, residuals = _conjugate_gradients(step.H, one, side, tolerance, max_iterations, callback)
    return Solution(dv, residuals, residuals[-1] <= tolerance)


class Matrices:
    """The matrices and vectors of a world at one time, in float64. Values are those of the library, without a copy.

    M (n x n, masses), J (m x n), C (m x m, compliance), P (n x n, 1 for free ones), G (n x n, exact geometric stiffness), K
    (n x n, exact stiffness of force elements), Gamma (n x n, stabilising part of -G): scipy.sparse.csr_array.
    f (n, forces), phi (m, constraint functions), lam (m, constraint forces), v (n, velocities): arrays.
    blocks: a record for each constraint or contact.
    """

    def __init__(self, world: _taut.World) -> None:
        self.assembly = world.assemble()
        for name in ("M", "J", "C", "P", "G", "K", "Gamma"):
            setattr(self, name, self._matrix(name.lower()))
        for name in ("f", "phi", "lam", "v"):
            setattr(self, name, self.assembly.vector(name))

    M: scipy.sparse.csr_array
    J: scipy.sparse.csr_array
    C: scipy.sparse.csr_array
    P: scipy.sparse.csr_array
    G: scipy.sparse.csr_array
    K: scipy.sparse.csr_array
    Gamma: scipy.sparse.csr_array
    f: numpy.ndarray
    phi: numpy.ndarray
    lam: numpy.ndarray
    v: numpy.ndarray

    @property
    def blocks(self) -> numpy.ndarray:
        return self.assembly.blocks()

    def _matrix(self, name: str) -> scipy.sparse.csr_array:
        values, columns, offsets, shape = self.assembly.csr(name)
        kind = numpy.int32 if max(len(values), *shape) < 2**31 else numpy.int64
        return scipy.sparse.csr_array((values, columns.astype(kind), offsets.astype(kind)), shape=shape)


def assemble(world: _taut.World) -> Matrices:
    """All matrices and vectors of a world at its current state."""
    return Matrices(world)
