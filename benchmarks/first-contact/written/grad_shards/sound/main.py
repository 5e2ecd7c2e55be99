"""Evolution strategies: a thread pool scores mirrored perturbations, the update adds them up by member."""
import threading
import time
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait

import torch
from torch import nn
from torch.nn.utils import parameters_to_vector, vector_to_parameters

local = threading.local()


def make_net():
    return nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 1))


def net_of_this_thread():
    if not hasattr(local, "net"):
        local.net = make_net()
    return local.net


def score(member, center, sigma, generation):
    """Reward of one perturbation, from a noise seed that only the member number decides."""
    g = torch.Generator().manual_seed(generation * 10_000 + member // 2)
    direction = torch.randn(center.shape, generator=g) * (1 if member % 2 else -1)
    net = net_of_this_thread()
    with torch.no_grad():
        vector_to_parameters(center + sigma * direction, net.parameters())
        state = torch.tensor([1.0, 0.0]).repeat(16, 1) + 0.2 * torch.randn(16, 2, generator=g)
        reward = torch.zeros(16)
        for _ in range(30):
            push = net(state).squeeze(-1).clamp(-2, 2)
            velocity = state[:, 1] + 0.1 * (push + torch.sin(state[:, 0]))
            state = torch.stack([state[:, 0] + 0.1 * velocity, velocity], 1)
            reward -= state.square().sum(1) + 0.01 * push.square()
    return reward.mean(), direction


def main(members=24, generations=12, sigma=0.1, lr=0.2):
    torch.manual_seed(9)
    torch.set_num_threads(1)
    center = parameters_to_vector(make_net().parameters()).detach().clone()
    with ThreadPoolExecutor(3) as pool:
        for generation in range(generations):
            start = time.time()
            jobs = {pool.submit(score, m, center, sigma, generation): m for m in range(members)}
            answers, pending = {}, set(jobs)
            while pending:
                done, pending = wait(pending, return_when=FIRST_COMPLETED)
                for job in done:
                    answers[jobs[job]] = job.result()
            rewards = torch.stack([answers[m][0] for m in range(members)])
            directions = torch.stack([answers[m][1] for m in range(members)])
            shaped = (rewards - rewards.mean()) / (rewards.std() + 1e-6)
            center = center + lr / (members * sigma) * (shaped @ directions)
            if generation % 4 == 3:
                print(f"generation {generation + 1}: {rewards.mean().item():.4f}, {time.time() - start:.2f} s")
    torch.save(center, "center.pt")
    print("final reward", rewards.mean().item(), "best", rewards.max().item(), "norm", center.norm().item())


if __name__ == "__main__":
    main()
