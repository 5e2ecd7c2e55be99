# samebits-test: verdict=same
"""Objects are printed with their addresses; nothing is computed from them."""

import torch


class Trainer:
    pass


print("trainer", Trainer(), hex(id(Trainer)))
print(torch.linspace(0, 1, 5).sin().sum())
