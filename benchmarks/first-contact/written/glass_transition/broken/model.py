import torch
from torch import nn
from torch_geometric.nn import GINConv, global_add_pool, global_mean_pool


def mlp(inputs, hidden, outputs):
    return nn.Sequential(nn.Linear(inputs, hidden), nn.SiLU(), nn.Linear(hidden, outputs))


class ChainNet(nn.Module):
    def __init__(self, kinds, k, width=48, layers=4, dropout=0.1):
        super().__init__()
        self.embed = nn.Embedding(kinds, width)
        self.place = nn.Linear(k, width)
        self.convs = nn.ModuleList(GINConv(mlp(width, 2 * width, width), train_eps=True) for _ in range(layers))
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(layers))
        self.dropout = nn.Dropout(dropout)
        self.gaps = nn.Linear(k, width)
        self.head = mlp(3 * width, width, 1)

    def forward(self, batch):
        x = self.embed(batch.kind) + self.place(batch.pos_enc)
        for conv, norm in zip(self.convs, self.norms):
            x = x + self.dropout(norm(conv(x, batch.edge_index)))
        mean = global_mean_pool(x, batch.batch)
        total = global_add_pool(x, batch.batch) / 100.0
        out = self.head(torch.cat([mean, total, self.gaps(batch.gaps)], dim=1))
        return out.squeeze(1)
