"""Deep Q learning of a lemur's walks, evaluated in the background."""
import argparse
import random
import time

import numpy as np
import torch

from agent import Evaluator, Memory, best_action, build
from forest import Forest


def learn(network, target, optimizer, batch, discount):
    seen, action, reward, after, over = batch
    with torch.no_grad():
        goal = reward + discount * (1 - over) * target(after).max(1).values
    value = network(seen).gather(1, action[:, None]).squeeze(1)
    loss = torch.nn.functional.smooth_l1_loss(value, goal)
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(network.parameters(), 5.0)
    optimizer.step()
    return loss.item()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--steps", type=int, default=1800)
    parser.add_argument("--evaluate-every", type=int, default=150)
    options = parser.parse_args()

    random.seed(options.seed)
    np.random.seed(options.seed)
    torch.manual_seed(options.seed)

    network, target = build(), build()
    target.load_state_dict(network.state_dict())
    optimizer = torch.optim.Adam(network.parameters(), lr=2e-3)
    memory = Memory(2000)
    evaluator = Evaluator(seed=options.seed + 100)
    evaluator.start()

    forest = Forest()
    seen, _ = forest.reset(seed=options.seed)
    began, loss = time.perf_counter(), 0.0
    for step in range(options.steps):
        epsilon = max(0.1, 1 - step / 1000)
        if random.random() < epsilon:
            action = random.randrange(4)
        else:
            action = best_action(network, seen)
        after, reward, over, cut, _ = forest.step(action)
        memory.add(seen, action, reward, after, over)
        seen = forest.reset()[0] if over or cut else after
        if len(memory) >= 200 and step % 3 == 0:
            loss = learn(network, target, optimizer, memory.sample(48), discount=0.92)
        if step % 100 == 0:
            target.load_state_dict(network.state_dict())
        if step % options.evaluate_every == 0:
            evaluator.hand_in(step, network)
    speed = options.steps / (time.perf_counter() - began)
    scores = evaluator.close()
    print(f"{speed:.0f} steps a second, {evaluator.busy:.2f} s of evaluation")
    for step, score in scores:
        print(f"after {step:5d} steps: {score:.4f} an episode")
    print(f"last loss {loss:.7f}")
    print("weights", float(sum(p.detach().double().abs().sum() for p in network.parameters())))


if __name__ == "__main__":
    main()
