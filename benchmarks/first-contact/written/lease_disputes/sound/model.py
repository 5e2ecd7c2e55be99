import torch
from torch import nn


class CaseClassifier(nn.Module):
    def __init__(self, terms, classes, width=48):
        super().__init__()
        self.embedding = nn.Embedding(terms, width, padding_idx=0)
        self.conv = nn.Conv1d(width, width, kernel_size=3, padding=1)
        self.drop = nn.Dropout(0.3)
        self.out = nn.Linear(2 * width, classes)

    def forward(self, ids):
        present = (ids != 0).unsqueeze(-1).float()
        embedded = self.embedding(ids) * present
        local = torch.relu(self.conv(embedded.transpose(1, 2)).transpose(1, 2)) * present
        mean = embedded.sum(1) / present.sum(1).clamp(min=1.0)
        return self.out(self.drop(torch.cat([mean, local.amax(1)], dim=1)))
