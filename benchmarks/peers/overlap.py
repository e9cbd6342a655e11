"""How deep boxes are in one another and below planes: separating axes in float64, for all pairs at once."""
import numpy as np

CORNERS = np.array([[x, y, z] for x in (-.5, .5) for y in (-.5, .5) for z in (-.5, .5)])


def rotations(q):
    """(n, 4) unit quaternions w, x, y, z -> (n, 3, 3)."""
    w, x, y, z = (q / np.linalg.norm(q, axis=1, keepdims=True)).T
    return np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w),
                     2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w),
                     2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)], axis=1).reshape(-1, 3, 3)


def box_overlaps(sides, poses):
    """Depth (m) of every pair of boxes that overlap: the least over 15 axes of the overlap of their shadows."""
    half, R, at = np.asarray(sides) / 2, rotations(poses[:, 3:]), poses[:, :3]
    reach = np.linalg.norm(half, axis=1)
    a, b = np.triu_indices(len(at), 1)
    near = ((at[a] - at[b])**2).sum(1) < (reach[a] + reach[b])**2
    a, b = a[near], b[near]
    Ra, Rb = R[a].transpose(0, 2, 1), R[b].transpose(0, 2, 1)  # rows are the axes
    edges = np.cross(Ra[:, :, None, :], Rb[:, None, :, :]).reshape(len(a), 9, 3)
    axes = np.concatenate([Ra, Rb, edges], axis=1)
    length = np.linalg.norm(axes, axis=2)
    axes = axes / np.maximum(length, 1e-12)[:, :, None]
    shadow = (np.abs(np.einsum("pij,pkj->pik", axes, Ra)) * half[a][:, None, :]).sum(2) + \
             (np.abs(np.einsum("pij,pkj->pik", axes, Rb)) * half[b][:, None, :]).sum(2)
    depth = shadow - np.abs(np.einsum("pij,pj->pi", axes, at[b] - at[a]))
    depth[length < 1e-6] = np.inf  # parallel edges
    least = depth.min(axis=1)
    return least[least > 0]


def below_planes(sides, poses, planes):
    """The deepest corner below any plane, m."""
    corners = np.einsum("nij,ncj->nci", rotations(poses[:, 3:]), CORNERS[None] * np.asarray(sides)[:, None, :]) + poses[:, None, :3]
    return max(0.0, max(float(-((corners - np.array(p)) @ np.array(n)).min()) for n, p in planes))
