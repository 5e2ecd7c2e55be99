import logging
import time

import numpy as np
import torch

log = logging.getLogger("ferry.loop")


def collect(agent, fleet, last, horizon):
    obs_log, act_log, rew_log, done_log = [], [], [], []
    obs = last
    for _ in range(horizon):
        batch = torch.from_numpy(np.stack(obs))
        actions, _ = agent.act(batch)
        following, rewards, dones = [], [], []
        for env, action in zip(fleet, actions.tolist()):
            nxt, reward, done = env.step(action)
            if done:
                nxt = env.reset()
            following.append(nxt)
            rewards.append(reward)
            dones.append(done)
        obs_log.append(batch)
        act_log.append(actions)
        rew_log.append(torch.tensor(rewards))
        done_log.append(torch.tensor(dones, dtype=torch.float32))
        obs = following
    return obs, torch.stack(obs_log), torch.stack(act_log), torch.stack(rew_log), torch.stack(done_log)


def returns(rewards, dones, bootstrap, gamma):
    out = torch.empty_like(rewards)
    running = bootstrap
    for t in reversed(range(len(rewards))):
        running = rewards[t] + gamma * running * (1 - dones[t])
        out[t] = running
    return out


def train(agent, fleet, args):
    optimizer = torch.optim.RMSprop(agent.parameters(), lr=args.lr, alpha=0.97)
    obs = [env.reset() for env in fleet]
    curve = []
    for update in range(args.updates):
        t0 = time.time()
        obs, seen, actions, rewards, dones = collect(agent, fleet, obs, args.horizon)
        with torch.no_grad():
            _, bootstrap = agent(torch.from_numpy(np.stack(obs)))
        target = returns(rewards, dones, bootstrap, args.gamma)
        dist, value = agent(seen)
        advantage = target - value.detach()
        advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-6)
        loss = (-(dist.log_prob(actions) * advantage).mean()
                + 0.5 * (target - value).pow(2).mean()
                - args.entropy * dist.entropy().mean())
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
        optimizer.step()
        curve.append(round(float(rewards.mean()), 6))
        if update % 5 == 0 or update == args.updates - 1:
            log.info("update %3d  reward %.3f  loss %.3f  %.0f ms", update, curve[-1], loss.item(),
                     1e3 * (time.time() - t0))
    return curve


def evaluate(agent, env, episodes):
    costs = []
    for _ in range(episodes):
        obs, done, total = env.reset(), False, 0.0
        while not done:
            action, _ = agent.act(torch.from_numpy(obs)[None], greedy=True)
            obs, reward, done = env.step(int(action))
            total -= reward
        costs.append(total)
    return {"episodes": episodes, "mean_cost": float(np.mean(costs)), "costs": costs}
