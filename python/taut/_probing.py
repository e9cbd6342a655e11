"""Sparse matrices of operators that are known by what they do to vectors."""

from __future__ import annotations

import collections.abc
import typing

import numpy
import scipy.sparse
import scipy.sparse.csgraph

Operator = typing.Any  # scipy.sparse.linalg.LinearOperator


def _colours(pattern: typing.Any) -> numpy.ndarray:
    """Nodes of one colour share no row of the pattern."""
    near = scipy.sparse.csr_array(pattern.T @ pattern)
    colours = numpy.full(near.shape[0], -1)
    for node in range(len(colours)):
        taken = set(colours[near.indices[near.indptr[node] : near.indptr[node + 1]]])
        colours[node] = next(colour for colour in range(len(taken) + 1) if colour not in taken)
    return colours


def of_nodes(operator: Operator, couplings: collections.abc.Iterable[typing.Any]) -> scipy.sparse.csr_array:
    """A matrix with blocks of 3 x 3 where one of `couplings` (n x n) has an entry, and on the diagonal."""
    nodes = operator.shape[0] // 3
    one, two = numpy.arange(nodes), numpy.arange(nodes)
    for matrix in couplings:
        entries = scipy.sparse.coo_array(matrix)
        one, two = numpy.concatenate([one, entries.row // 3]), numpy.concatenate([two, entries.col // 3])
    pattern = scipy.sparse.csr_array((numpy.ones(len(one)), (one, two)), shape=(nodes, nodes))
    colours, blocks = _colours(pattern), scipy.sparse.coo_array(pattern)
    rows = 3 * blocks.row[:, None] + numpy.arange(3)
    made = []
    for colour in range(colours.max() + 1):
        inside = colours[blocks.col] == colour
        for axis in range(3):
            probe = numpy.zeros(operator.shape[1])
            probe[3 * numpy.flatnonzero(colours == colour) + axis] = 1
            columns = numpy.repeat(3 * blocks.col[inside, None] + axis, 3, axis=1)
            made.append(((operator @ probe)[rows[inside]].ravel(), rows[inside].ravel(), columns.ravel()))
    values, i, j = (numpy.concatenate(parts) for parts in zip(*made))
    matrix = scipy.sparse.csr_array((values, (i, j)), shape=operator.shape)
    matrix.eliminate_zeros()
    return matrix


class Blocks(typing.NamedTuple):
    """A block diagonal matrix of rows: `rows` (blocks x width) where `inside`; `dense` (blocks x width x width), the unit matrix outside."""

    rows: numpy.ndarray
    inside: numpy.ndarray
    dense: numpy.ndarray

    def sparse(self, size: int) -> scipy.sparse.csr_array:
        both = self.inside[:, :, None] & self.inside[:, None, :]
        i, j = numpy.broadcast_to(self.rows[:, :, None], both.shape)[both], numpy.broadcast_to(self.rows[:, None, :], both.shape)[both]
        return scipy.sparse.csr_array((self.dense[both], (i, j)), shape=(size, size))


def of_rows(operator: Operator, first: numpy.ndarray, count: numpy.ndarray) -> Blocks:
    """A block diagonal operator, whose blocks have the rows [first, first + count)."""
    width = int(count.max(initial=1))
    inside = numpy.arange(width) < count[:, None]
    rows = first.astype(numpy.int64)[:, None] + numpy.where(inside, numpy.arange(width), 0)
    dense = numpy.tile(numpy.eye(width), (len(count), 1, 1))
    for k in range(width):  # a column of every block at once
        probe = numpy.zeros(operator.shape[0])
        probe[rows[inside[:, k], k]] = 1
        column = (operator @ probe)[rows]
        dense[:, :, k] = numpy.where(inside & inside[:, k : k + 1], column, dense[:, :, k])
    return Blocks(rows, inside, dense)


def inverse(matrix: scipy.sparse.csr_array) -> scipy.sparse.csr_array:
    """The inverse of a symmetric matrix on its rows that are not zero: a dense block for what its entries join."""
    used = numpy.flatnonzero(numpy.diff(matrix.indptr))
    small = scipy.sparse.csr_array(matrix[used][:, used])
    count, part = scipy.sparse.csgraph.connected_components(small, directed=False)
    order = numpy.argsort(part, kind="stable")
    made = []
    for members in numpy.split(order, numpy.cumsum(numpy.bincount(part, minlength=count))[:-1]):
        block = numpy.linalg.inv(small[members][:, members].toarray())
        i, j = numpy.meshgrid(used[members], used[members], indexing="ij")
        made.append((block.ravel(), i.ravel(), j.ravel()))
    none = (numpy.empty(0), numpy.empty(0, dtype=numpy.int64), numpy.empty(0, dtype=numpy.int64))
    values, rows, columns = (numpy.concatenate(parts) for parts in zip(none, *made))
    return scipy.sparse.csr_array((values, (rows, columns)), shape=matrix.shape)
