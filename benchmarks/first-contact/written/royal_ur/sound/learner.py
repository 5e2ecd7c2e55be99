import torch
from torch import nn

from game import N_FEATURES, Ur, roll_dice


class ValueNet(nn.Module):
    def __init__(self, hidden=64):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(N_FEATURES, hidden), nn.Tanh(), nn.Linear(hidden, hidden), nn.Tanh(), nn.Linear(hidden, 1)
        )

    def forward(self, x):
        return self.net(x).squeeze(-1)


class Replay:
    def __init__(self, size, seed):
        self.size, self.items, self.at = size, [], 0
        self.gen = torch.Generator().manual_seed(seed)

    def add(self, state, value):
        if len(self.items) < self.size:
            self.items.append((state, value))
        else:
            self.items[self.at] = (state, value)
            self.at = (self.at + 1) % self.size

    def sample(self, n):
        rows = torch.randint(len(self.items), (n,), generator=self.gen).tolist()
        states, values = zip(*(self.items[r] for r in rows))
        return torch.stack(states), torch.tensor(values)


def play_game(agent, opponent, dice):
    """Side 0 is the agent. Returns the positions after its moves, and whether it won."""
    game, visited = Ur(), []
    if dice.random() < 0.5:
        game.skip()
    while game.winner() is None:
        roll = roll_dice(dice)
        legal = game.moves(roll)
        if not legal:
            game.skip()
            continue
        side = game.turn
        player = agent if side == 0 else opponent
        game.play(player.choose(game, legal, roll), roll)
        if side == 0:
            visited.append(game.features())
    return visited, game.winner() == 0


def targets(visited, won, net, lam=0.8):
    """Lambda returns, from the end of the game backwards."""
    with torch.no_grad():
        guess = torch.sigmoid(net(torch.stack(visited))).tolist()
    value, out = float(won), []
    for i in reversed(range(len(visited))):
        out.append(value)
        value = lam * value + (1 - lam) * guess[i]
    return out[::-1]
