"""Estimate the skill of an archer from one session."""

import numpy as np
import torch
from torch import nn

from volleys import FIELDS, Sessions, batches

EPOCHS = 10
BATCH = 40


class SkillNet(nn.Module):
    """Sum over the arrows of what each one says, divided by the number of arrows."""

    def __init__(self, width=48):
        super().__init__()
        self.arrow = nn.Sequential(
            nn.Linear(2 * FIELDS, width, bias=False),
            nn.Tanh(),
            nn.Linear(width, width, bias=False),
            nn.SiLU(),
        )
        self.session = nn.Sequential(nn.Linear(width + 1, width), nn.SiLU(), nn.Linear(width, 1))

    def forward(self, arrows, lengths):
        arrows = torch.nan_to_num(arrows).clamp(-4, 4)
        said = self.arrow(torch.cat([arrows, arrows.square()], dim=2))
        n = lengths.to(said.dtype)[:, None]
        return self.session(torch.cat([said.sum(dim=1) / n, n / 60], dim=1)).squeeze(1)


def main():
    torch.set_num_threads(1)
    torch.manual_seed(77)
    shuffler = np.random.default_rng(77)
    train, test = Sessions(1200, seed=1), Sessions(300, seed=2)
    net = SkillNet()
    opt = torch.optim.AdamW(net.parameters(), lr=2e-3)
    for epoch in range(EPOCHS):
        net.train()
        total = 0.0
        for arrows, lengths, skill in batches(train, shuffler.permutation(len(train)), BATCH):
            loss = nn.functional.mse_loss(net(arrows, lengths), skill)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() * len(skill)
        print(f"epoch {epoch}: mse {total / len(train):.6f}")

    net.eval()
    guesses, truths = [], []
    with torch.no_grad():
        for arrows, lengths, skill in batches(test, np.arange(len(test)), BATCH):
            guesses.append(net(arrows, lengths))
            truths.append(skill)
    guess, truth = torch.cat(guesses), torch.cat(truths)
    r = torch.corrcoef(torch.stack([guess, truth]))[0, 1].item()
    print(f"test: mse {(guess - truth).square().mean().item():.6f}, correlation {r:.6f}")
    torch.save({"net": net.state_dict(), "guess": guess}, "skill.pt")


if __name__ == "__main__":
    main()
