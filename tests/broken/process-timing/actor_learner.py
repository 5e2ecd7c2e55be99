# samebits-test: verdict=different cause=process-timing
"""Three actors play; the learner trains on whichever rollout comes first."""

import torch
import torch.multiprocessing as mp
from torch import nn

ACTORS, ROLLOUTS, LENGTH = 3, 40, 8


def act(number, rollouts, ready):
    ready.wait()
    generator = torch.Generator().manual_seed(number)
    place = torch.zeros(2)
    for _ in range(ROLLOUTS):
        steps = []
        for _ in range(LENGTH):
            place = 0.9 * place + torch.randn(2, generator=generator)
            steps.append(place.tolist())
        rollouts.put((number, steps))


def learn(rollouts):
    torch.manual_seed(0)
    critic = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))
    optimizer = torch.optim.SGD(critic.parameters(), lr=0.05)
    for _ in range(ACTORS * ROLLOUTS):
        _, steps = rollouts.get()  # culprit
        steps = torch.tensor(steps)
        loss = (critic(steps) + steps.square().sum(dim=1, keepdim=True)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(critic[0].weight.tolist())


if __name__ == "__main__":
    context = mp.get_context("fork")
    shared = context.Queue(), context.Barrier(ACTORS)
    actors = [context.Process(target=act, args=(k, *shared)) for k in range(ACTORS)]
    [actor.start() for actor in actors]
    learn(shared[0])
    [actor.join() for actor in actors]
