import torch
from torch import nn


class PingBlock(nn.Module):
    def __init__(self, width, heads, dropout):
        super().__init__()
        self.norm_attn = nn.LayerNorm(width)
        self.attn = nn.MultiheadAttention(width, heads, dropout=dropout, batch_first=True)
        self.norm_mlp = nn.LayerNorm(width)
        self.mlp = nn.Sequential(
            nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width), nn.Dropout(dropout)
        )

    def forward(self, x):
        h = self.norm_attn(x)
        x = x + self.attn(h, h, h, need_weights=False)[0]
        return x + self.mlp(self.norm_mlp(x))


class ShoalNet(nn.Module):
    """Reads an echogram ping by ping, says species and log biomass."""

    def __init__(self, depth_bins, species, pings, width=32, heads=4, layers=3, dropout=0.1):
        super().__init__()
        self.embed = nn.Linear(depth_bins, width)
        self.position = nn.Embedding(pings, width)
        self.blocks = nn.ModuleList(PingBlock(width, heads, dropout) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        self.species = nn.Linear(width, species)
        self.biomass = nn.Linear(width, 1)

    def forward(self, pings):
        x = self.embed(pings) + self.position(torch.arange(pings.shape[1]))
        for block in self.blocks:
            x = block(x)
        x = self.norm(x).mean(dim=1)
        return self.species(x), self.biomass(x).squeeze(1)
