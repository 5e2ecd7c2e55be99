import threading

import torch

from env import Pole


class Actor(threading.Thread):
    def __init__(self, number, policy, out, stop):
        super().__init__(name=f"actor-{number}", daemon=True)
        self.env = Pole(seed=100 + number)
        self.generator = torch.Generator().manual_seed(200 + number)
        self.policy, self.out, self.stop = policy, out, stop

    def act(self, state):
        with torch.no_grad():
            probs = torch.softmax(self.policy(torch.tensor(state)), -1)
        return torch.multinomial(probs, 1, generator=self.generator).item()

    def run(self):
        while not self.stop.is_set():
            states, actions, rewards = [], [], []
            state, done = self.env.reset(), False
            while not done:
                action = self.act(state)
                states.append(state)
                actions.append(action)
                state, reward, done = self.env.step(action)
                rewards.append(reward)
            self.out.put((states, actions, rewards))


class Learner:
    def __init__(self, policy, lr=1e-2, gamma=0.97):
        self.policy, self.gamma = policy, gamma
        self.optimizer = torch.optim.Adam(policy.parameters(), lr=lr)
        self.baseline = 0.0

    def update(self, episodes):
        loss = 0.0
        for states, actions, rewards in episodes:
            returns, total = [], 0.0
            for r in reversed(rewards):
                total = r + self.gamma * total
                returns.append(total)
            returns = torch.tensor(returns[::-1])
            self.baseline += 0.05 * (returns[0].item() - self.baseline)
            logp = torch.log_softmax(self.policy(torch.tensor(states)), -1)
            chosen = logp.gather(1, torch.tensor(actions)[:, None]).squeeze(1)
            loss = loss - (chosen * (returns - self.baseline)).mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()
