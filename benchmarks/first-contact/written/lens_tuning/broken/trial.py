"""One trial: train for some steps, return the validation loss and the net."""
import torch
from torch import nn

KINDS = {"relu": nn.ReLU, "tanh": nn.Tanh, "silu": nn.SiLU}


def build(params):
    width, act = params["width"], KINDS[params["act"]]
    return nn.Sequential(nn.Linear(2, width), act(), nn.Linear(width, width), act(),
                         nn.Linear(width, 2))


def train_once(params, data, steps, seed, start=None, batch=128):
    (x, y), (vx, vy) = data
    torch.manual_seed(seed)
    net = build(params)
    if start is not None:
        net.load_state_dict(start.state_dict())
    opt = torch.optim.AdamW(net.parameters(), lr=params["lr"], weight_decay=params["decay"])
    plan = torch.optim.lr_scheduler.CosineAnnealingLR(opt, steps, params["lr"] / 10)
    for _ in range(steps):
        pick = torch.randint(len(x), (batch,))
        loss = nn.functional.mse_loss(net(x[pick]), y[pick])
        opt.zero_grad()
        loss.backward()
        opt.step()
        plan.step()
    with torch.no_grad():
        return nn.functional.mse_loss(net(vx), vy).item(), net
