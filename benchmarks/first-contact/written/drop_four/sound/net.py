import torch
from torch import nn

from board import COLS, ROWS


def encode(board):
    cells = torch.tensor(board.cells, dtype=torch.float32).view(COLS, ROWS) * board.to_move
    return torch.stack([(cells == 1).float(), (cells == -1).float()])


class PolicyValue(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(2, width, 3, padding=1), nn.ReLU(), nn.Flatten(),
                                  nn.Linear(width * COLS * ROWS, 48), nn.ReLU())
        self.policy, self.value = nn.Linear(48, COLS), nn.Linear(48, 1)

    def forward(self, x):
        h = self.body(x)
        return self.policy(h), torch.tanh(self.value(h))[:, 0]
