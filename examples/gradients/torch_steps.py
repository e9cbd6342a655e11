"""Steps of a world as a function of PyTorch: from positions, velocities and compliances to positions and velocities, with gradients.

    python examples/gradients/torch_steps.py

Going back takes the records of steps away. What is differentiated a second time, or after other steps of the same world, is stepped
again from where it began. Needs PyTorch: Debian's python3-torch, or `pip install torch`."""
import numpy as np
import taut
import torch

H = 1 / 60


class Recorder:
    """A world, one batch of its constraints, and records of the steps that were made last, for whoever made them."""

    def __init__(self, world, batch, most):
        self.world, self.batch, self.records, self.owner = world, batch, taut.Gradients(world, most), None

    def step(self, owner, x, v, compliances, count):
        self.world.positions, self.world.velocities = x.detach().numpy(), v.detach().numpy()
        self.world.set_compliances(self.batch, compliances.detach().numpy())
        self.records.clear()
        for _ in range(count):
            self.records.step(H)
        self.owner = owner

    def back(self, by_x, by_v):
        while len(self.records):
            by_x, by_v = self.records.back(by_x, by_v)
        self.owner = None
        return by_x, by_v, self.records.read("compliances", self.batch)


class Steps(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, v, compliances, recorder, count):
        ctx.recorder, ctx.count = recorder, count
        ctx.save_for_backward(x, v, compliances)
        recorder.step(ctx, x, v, compliances, count)
        world = recorder.world
        return torch.from_numpy(world.positions.copy()), torch.from_numpy(world.velocities.copy())

    @staticmethod
    def backward(ctx, by_x, by_v):
        if ctx.recorder.owner is not ctx:
            ctx.recorder.step(ctx, *ctx.saved_tensors, ctx.count)
        gradients = ctx.recorder.back(by_x.numpy(), by_v.numpy())
        return (*(torch.from_numpy(g) for g in gradients), None, None)


def start():
    """A chain of five points: positions and velocities that gradients are wanted of."""
    x = torch.tensor([[0.2 * i, 0.0, 0.0] for i in range(5)], dtype=torch.float64, requires_grad=True)
    return x, torch.zeros((5, 3), dtype=torch.float64, requires_grad=True)


def chain(most=10):
    """Its world, and the compliances of its four links, m/N."""
    scene = taut.Scene()
    scene.add_particles(positions=start()[0].detach().numpy(), mass=0.1, fixed=[True] + 4 * [False])
    links = scene.add_distances(particles=[[i, i + 1] for i in range(4)], rest_lengths=4 * [0.2], compliance=1e-3)
    world = taut.World(scene, backend="cpu", solver={"tolerance": 1e-8},
                       integrator={"newton": 50, "newton_tolerance": 1e-7})
    return Recorder(world, links, most), torch.full((4,), 1e-3, dtype=torch.float64, requires_grad=True)


def after(x, v, compliances, recorder, count=10):
    """The positions after `count` steps."""
    return Steps.apply(x, v, compliances, recorder, count)[0]


if __name__ == "__main__":
    x, v = start()
    recorder, compliances = chain()
    after(x, v, compliances, recorder)[-1, 1].backward()
    print("height of the end after ten steps, by the velocities before:")
    print(np.round(v.grad[:, 1].numpy(), 4))
    print("and by the compliances of the links, N:")
    print(np.round(compliances.grad.numpy(), 4))
