import torch
from torch import nn


class Shelf(nn.Module):
    """Bayesian personalised ranking on plain factors."""

    def __init__(self, players: int, games: int, width: int = 24) -> None:
        super().__init__()
        self.player = nn.Embedding(players, width)
        self.game = nn.Embedding(games, width)
        self.fame = nn.Parameter(torch.zeros(games))
        for table in (self.player, self.game):
            nn.init.normal_(table.weight, std=0.1)

    def forward(self, who: torch.Tensor, what: torch.Tensor) -> torch.Tensor:
        return (self.player(who) * self.game(what)).sum(-1) + self.fame[what]

    @torch.no_grad()
    def hits(self, who: torch.Tensor, what: torch.Tensor, top: int) -> float:
        scores = self.player(who) @ self.game.weight.T + self.fame
        best = scores.topk(top, dim=1).indices
        return (best == what[:, None]).any(1).float().mean().item()
