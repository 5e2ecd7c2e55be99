import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def fit_classifier(x, y, epochs, lr):
    x, y = torch.as_tensor(x, dtype=torch.float32), torch.as_tensor(y, dtype=torch.float32)
    model = nn.Sequential(nn.Dropout(0.2), nn.Linear(x.shape[1], 48), nn.LayerNorm(48), nn.ReLU(), nn.Dropout(0.4),
                          nn.Linear(48, 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=lr, weight_decay=0.05)
    loader = DataLoader(TensorDataset(x, y), batch_size=32, shuffle=True)
    model.train()
    for _ in range(epochs):
        for rows, labels in loader:
            loss = nn.functional.binary_cross_entropy_with_logits(model(rows).squeeze(1), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return model.eval()


@torch.no_grad()
def predict(model, x):
    return torch.sigmoid(model(torch.as_tensor(x, dtype=torch.float32)).squeeze(1)).numpy()
