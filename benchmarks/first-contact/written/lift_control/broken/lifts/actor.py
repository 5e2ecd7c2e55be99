"""Actor process: plays episodes with the weights it is sent (NumPy only, no autograd)."""
import os

import numpy as np

from .building import Building


def policy(weights, obs):
    h = np.tanh(weights["body.weight"] @ obs + weights["body.bias"])
    logits = weights["pi.weight"] @ h + weights["pi.bias"]
    z = logits - logits.max()
    return z - np.log(np.exp(z).sum())


def play(env, weights, rng, gamma):
    obs_list, actions, logps, rewards = [], [], [], []
    obs, done = env.reset(), False
    while not done:
        logp = policy(weights, obs)
        action = int(np.searchsorted(np.cumsum(np.exp(logp)), rng.random()).clip(0, env.ACTIONS - 1))
        obs_list.append(obs)
        actions.append(action)
        logps.append(logp[action])
        obs, reward, done = env.step(action)
        rewards.append(reward)
    returns = np.zeros(len(rewards), dtype=np.float32)
    acc = 0.0
    for t in reversed(range(len(rewards))):
        acc = rewards[t] + gamma * acc
        returns[t] = acc
    return np.stack(obs_list), np.array(actions), np.array(logps, np.float32), returns, sum(rewards)


def run_actor(actor_id, cfg, inbox, rollouts):
    rng = np.random.default_rng([cfg.seed, actor_id])
    env = Building(cfg, rng)
    print(f"actor {actor_id} up (pid {os.getpid()})", flush=True)
    while True:
        weights = inbox.get()
        if weights is None:
            break
        episodes = [play(env, weights, rng, cfg.gamma) for _ in range(cfg.episodes_per_round)]
        obs, act, logp, ret, score = zip(*episodes)
        rollouts.put((
            actor_id,
            np.concatenate(obs),
            np.concatenate(act),
            np.concatenate(logp),
            np.concatenate(ret),
            float(np.mean(score)),
        ))
