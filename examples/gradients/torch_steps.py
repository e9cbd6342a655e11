"""Steps of a world as a function of PyTorch: positions and velocities before to those after, with gradients.

    python examples/gradients/torch_steps.py

Needs PyTorch: Debian's python3-torch, or `pip install torch`."""
import numpy as np
import taut
import torch

H = 1 / 60


class Steps(torch.autograd.Function):
    """`records` has room for `count` steps, and none recorded."""

    @staticmethod
    def forward(ctx, x, v, world, records, count):
        ctx.records, ctx.count = records, count
        world.positions, world.velocities = x.detach().numpy(), v.detach().numpy()
        records.clear()
        for _ in range(count):
            records.step(H)
        return torch.from_numpy(world.positions.copy()), torch.from_numpy(world.velocities.copy())

    @staticmethod
    def backward(ctx, by_x, by_v):
        by_x, by_v = by_x.numpy(), by_v.numpy()
        for _ in range(ctx.count):
            by_x, by_v = ctx.records.back(by_x, by_v)
        return torch.from_numpy(by_x), torch.from_numpy(by_v), None, None, None


def start():
    """A chain of five points: positions and velocities that gradients are wanted of."""
    x = torch.tensor([[0.2 * i, 0.0, 0.0] for i in range(5)], dtype=torch.float64, requires_grad=True)
    return x, torch.zeros((5, 3), dtype=torch.float64, requires_grad=True)


def after(x, v, count=10):
    """The positions after `count` steps."""
    scene = taut.Scene()
    scene.add_particles(positions=x.detach().numpy(), mass=0.1, fixed=[True] + 4 * [False])
    scene.add_distances(particles=[[i, i + 1] for i in range(4)], rest_lengths=4 * [0.2], compliance=1e-3)
    world = taut.World(scene, backend="cpu", solver={"tolerance": 1e-8},
                       integrator={"newton": 50, "newton_tolerance": 1e-7})
    return Steps.apply(x, v, world, taut.Gradients(world, count), count)[0]


if __name__ == "__main__":
    x, v = start()
    after(x, v)[-1, 1].backward()
    print("height of the end after ten steps, by the velocities before:")
    print(np.round(v.grad[:, 1].numpy(), 4))
