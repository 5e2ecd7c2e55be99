# samebits-test: vary=addresses cause=address-order aslr=off env=PYTHONHASHSEED=0
"""Agents act in the order of a set of objects."""

import torch


class Agent:
    def __init__(self, number):
        self.number = number


agents = {Agent(k) for k in range(2000)}
order = torch.tensor([float(agent.number) for agent in agents])  # culprit
print(order.diff().abs().mean())
