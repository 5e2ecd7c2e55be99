import torch
from sklearn.metrics import average_precision_score, brier_score_loss, roc_auc_score
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from tqdm import trange


class NoShowNet(nn.Module):
    def __init__(self, inputs, hidden, dropout):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(inputs, hidden), nn.BatchNorm1d(hidden), nn.ReLU(), nn.Dropout(dropout),
            nn.Linear(hidden, hidden // 2), nn.ReLU(), nn.Linear(hidden // 2, 1),
        )

    def forward(self, x):
        return self.layers(x).squeeze(-1)


def train(model, x, y, epochs, batch_size, lr):
    loader = DataLoader(TensorDataset(x, y), batch_size, shuffle=True, drop_last=True)
    optimizer = torch.optim.Adam(model.parameters(), lr=lr, weight_decay=1e-4)
    criterion = nn.BCEWithLogitsLoss()
    model.train()
    bar = trange(epochs, desc="epochs")
    for _ in bar:
        total = 0.0
        for rows, missed in loader:
            loss = criterion(model(rows), missed)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
        bar.set_postfix(loss=f"{total / len(loader):.4f}")


@torch.no_grad()
def evaluate(model, x, truth):
    chances = torch.sigmoid(model.eval()(x)).double().numpy()
    return {
        "auc": float(roc_auc_score(truth, chances)),
        "average_precision": float(average_precision_score(truth, chances)),
        "brier": float(brier_score_loss(truth, chances)),
    }
