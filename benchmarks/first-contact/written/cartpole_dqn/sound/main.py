"""Double DQN on CartPole. Usage: python main.py --steps 1500 --seed 3"""
import argparse
import collections
import random
import time
import uuid
from pathlib import Path

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


def parse_args():
    p = argparse.ArgumentParser()
    p.add_argument("--steps", type=int, default=1500)
    p.add_argument("--seed", type=int, default=3)
    p.add_argument("--lr", type=float, default=1e-3)
    p.add_argument("--gamma", type=float, default=0.98)
    p.add_argument("--batch-size", type=int, default=64)
    p.add_argument("--warmup", type=int, default=200)
    p.add_argument("--out", default="runs")
    return p.parse_args()


def make_net(n_obs, n_act):
    return nn.Sequential(nn.Linear(n_obs, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, n_act))


def epsilon(step, total):
    return max(0.05, 1.0 - 1.6 * step / total)


def to_batch(transitions):
    s, a, r, s2, done = zip(*transitions)
    return (
        torch.from_numpy(np.stack(s)),
        torch.tensor(a),
        torch.tensor(r, dtype=torch.float32),
        torch.from_numpy(np.stack(s2)),
        torch.tensor(done, dtype=torch.float32),
    )


def main():
    args = parse_args()
    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)

    run_dir = Path(args.out) / f"dqn-{uuid.uuid4().hex[:8]}"
    run_dir.mkdir(parents=True)

    env = gym.make("CartPole-v1")
    env.action_space.seed(args.seed)
    obs, _ = env.reset(seed=args.seed)

    online = make_net(4, 2)
    target = make_net(4, 2)
    target.load_state_dict(online.state_dict())
    opt = torch.optim.Adam(online.parameters(), lr=args.lr)
    replay = collections.deque(maxlen=5000)

    returns, ret, losses = [], 0.0, []
    started = time.time()
    for step in range(1, args.steps + 1):
        if random.random() < epsilon(step, args.steps):
            action = int(env.action_space.sample())
        else:
            with torch.no_grad():
                action = int(online(torch.from_numpy(obs)).argmax())
        nxt, reward, terminated, truncated, _ = env.step(action)
        replay.append((obs, action, reward, nxt, terminated))
        ret += reward
        obs = nxt
        if terminated or truncated:
            returns.append(ret)
            ret = 0.0
            obs, _ = env.reset()

        if step > args.warmup and step % 4 == 0:
            s, a, r, s2, done = to_batch(random.sample(replay, args.batch_size))
            with torch.no_grad():
                best = online(s2).argmax(1, keepdim=True)
                goal = r + args.gamma * (1 - done) * target(s2).gather(1, best).squeeze(1)
            q = online(s).gather(1, a[:, None]).squeeze(1)
            loss = F.smooth_l1_loss(q, goal)
            opt.zero_grad()
            loss.backward()
            opt.step()
            losses.append(loss.item())
        if step % 100 == 0:
            target.load_state_dict(online.state_dict())
        if step % 300 == 0:
            recent = sum(returns[-10:]) / max(1, len(returns[-10:]))
            last = losses[-1] if losses else float("nan")
            print(f"step {step:5d}  return {recent:6.1f}  loss {last:.5f}  [{time.time() - started:.1f}s]")

    torch.save(online.state_dict(), run_dir / "policy.pt")
    print(f"{len(returns)} episodes, mean return {sum(returns) / len(returns):.3f}")


if __name__ == "__main__":
    main()
