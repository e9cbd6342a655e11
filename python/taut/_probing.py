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
    entries = scipy.sparse.coo_array(matrix[used][:, used])
    _, part = scipy.sparse.csgraph.connected_components(entries, directed=False)
    sizes = numpy.bincount(part)
    order, first = numpy.argsort(part, kind="stable"), numpy.cumsum(sizes) - sizes
    place = numpy.empty(len(used), dtype=numpy.int64)  # of a row in its block
    place[order] = numpy.arange(len(used)) - numpy.repeat(first, sizes)
    none = (numpy.empty(0), numpy.empty(0, dtype=numpy.int64), numpy.empty(0, dtype=numpy.int64))
    made = [none]
    for size in numpy.unique(sizes):
        blocks = numpy.flatnonzero(sizes == size)
        number = numpy.full(len(sizes), -1)
        number[blocks] = numpy.arange(len(blocks))
        at = number[part[entries.row]]
        dense = numpy.zeros((len(blocks), size, size))
        dense[at[at >= 0], place[entries.row[at >= 0]], place[entries.col[at >= 0]]] = entries.data[at >= 0]
        rows = used[order[first[blocks][:, None] + numpy.arange(size)]]
        i, j = numpy.broadcast_to(rows[:, :, None], dense.shape), numpy.broadcast_to(rows[:, None, :], dense.shape)
        made.append((numpy.linalg.inv(dense).ravel(), i.ravel(), j.ravel()))
    values, rows, columns = (numpy.concatenate(parts) for parts in zip(*made))
    return scipy.sparse.csr_array((values, (rows, columns)), shape=matrix.shape)
