import torch
from torch import nn

from data import LOOKBACK


class DemandNet(nn.Module):
    def __init__(self, items, stores, width=48, dropout=0.15):
        super().__init__()
        self.item = nn.Embedding(items, 8)
        self.store = nn.Embedding(stores, 4)
        self.weekday = nn.Embedding(7, 3)
        self.body = nn.Sequential(
            nn.Linear(LOOKBACK + 8 + 4 + 3 + 1, width),
            nn.GELU(),
            nn.Dropout(dropout),
            nn.Linear(width, width),
            nn.GELU(),
            nn.Linear(width, 1),
        )

    def forward(self, history, promo, weekday, item, store):
        parts = [history, promo[:, None], self.weekday(weekday), self.item(item), self.store(store)]
        return self.body(torch.cat(parts, dim=1)).squeeze(1)
