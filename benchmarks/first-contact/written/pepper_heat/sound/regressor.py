import torch
from torch import nn


class HeatRegressor(nn.Module):
    def __init__(self, bands, setting):
        super().__init__()
        widths = [bands] + [setting.width] * setting.depth
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in zip(widths, widths[1:]))
        self.out = nn.Linear(setting.width, 1)
        self.activation = setting.activation

    def forward(self, x):
        for layer in self.layers:
            x = self.activation(layer(x))
        return self.out(x)[:, 0]


def fit(setting, x, y, batch_size=50):
    torch.manual_seed(setting.seed())
    model = HeatRegressor(x.shape[1], setting)
    optimizer = torch.optim.RAdam(model.parameters(), lr=setting.lr)
    for _ in range(setting.epochs):
        for rows in torch.randperm(len(y)).split(batch_size):
            noisy = x[rows] + setting.noise * torch.randn(len(rows), x.shape[1])
            loss = nn.functional.mse_loss(model(noisy), y[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return model
