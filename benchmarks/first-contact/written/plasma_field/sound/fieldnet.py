import torch
from torch import nn


class FieldNet(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        ring = dict(kernel_size=9, padding=4, padding_mode="circular")
        self.layers = nn.Sequential(
            nn.Conv1d(1, width, **ring), nn.GELU(),
            nn.Conv1d(width, width, **ring), nn.GELU(), nn.Conv1d(width, 1, **ring))

    def forward(self, rho):
        out = self.layers(rho[:, None]).squeeze(1)
        return out - out.mean(dim=1, keepdim=True)


def fit(net, rho, phi, epochs, batch=8):
    cut = int(0.8 * len(rho))
    rho, phi = rho / rho[:cut].std(), phi / phi[:cut].std()
    opt = torch.optim.Adam(net.parameters(), lr=3e-3)
    losses = []
    for _ in range(epochs):
        for idx in torch.randperm(cut).split(batch):
            roll = int(torch.randint(rho.shape[1], ()))
            loss = nn.functional.mse_loss(net(rho[idx].roll(roll, 1)), phi[idx].roll(roll, 1))
            opt.zero_grad()
            loss.backward()
            opt.step()
        losses.append(loss.item())
    with torch.no_grad():
        err = net(rho[cut:]) - phi[cut:]
    return losses, (err.norm() / phi[cut:].norm()).item()
