"""The operators and matrices of a step for SciPy, which this module alone needs.

    h = 1 / 60
    step = taut.operators.linearise(world, h)
    gam, _ = scipy.sparse.linalg.cg(step.S, step.b)         constraint impulses: S gam = b
    matrices = taut.operators.assemble(world)
    matrices.J, matrices.M                                  scipy.sparse.csr_array

n = 3 (points + frames) unknowns, m rows of constraints and contacts; docs/mathematics.md has the formulas."""

from __future__ import annotations

import numpy
import scipy.sparse
import scipy.sparse.linalg

from . import _taut

__all__ = ["Linearisation", "Matrices", "assemble", "linearise"]


class Linearisation:
    """The linear operators of a step of h seconds at the state where it was made. A step or a write ends it; applying an
    operator raises taut.Error then.

    J: m x n, Jacobian of the constraints, with its transpose
    A: n x n, P A P: masses, stabilising geometric stiffness, tangents of force elements; symmetric
    A_inverse: n x n, (P A P)^+
    S: m x m, J (P A P)^+ J^T + W, the Schur complement; symmetric
    W: m x m, C/(h l), compliance; symmetric
    G: n x n, exact geometric stiffness
    b: m values, S gam = b; r: n values, A dv = r + J^T gam
    """

    def __init__(self, world: _taut.World, h: float) -> None:
        self.world, self.h = world, h
        self.m = world.linearise(h)
        self.n = 3 * (world.particle_count + world.frame_count)
        self.J = self._operator((self.m, self.n), "j", "jt")
        self.A = self._operator((self.n, self.n), "a", "a")
        self.A_inverse = self._operator((self.n, self.n), "a_inverse", "a_inverse")
        self.S = self._operator((self.m, self.m), "s", "s")
        self.W = self._operator((self.m, self.m), "w", "w")
        self.G = self._operator((self.n, self.n), "g", None)

    def _operator(self, shape: tuple[int, int], name: str, transpose: str | None) -> scipy.sparse.linalg.LinearOperator:
        def apply(which):
            return lambda vector: self.world.apply(which, numpy.ascontiguousarray(vector, dtype=float).reshape(-1))

        return scipy.sparse.linalg.LinearOperator(shape, matvec=apply(name), rmatvec=apply(transpose) if transpose else None,
                                                  dtype=numpy.float64)

    @property
    def b(self) -> numpy.ndarray:
        return self.world.right_hand_side("s")

    @property
    def r(self) -> numpy.ndarray:
        return self.world.right_hand_side("a")

    def velocity_change(self, impulses: numpy.ndarray) -> numpy.ndarray:
        """The motion dv = A^-1 (r + J^T gam) of a step with these impulses, n values, m/s and rad/s."""
        return self.A_inverse @ (self.r + self.J.rmatvec(impulses))


def linearise(world: _taut.World, h: float) -> Linearisation:
    """Linearises a world for a step of h seconds, without a step."""
    return Linearisation(world, h)


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
