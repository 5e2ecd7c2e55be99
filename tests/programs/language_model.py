# samebits-test: verdict=different cause=clock
# samebits-test: via=diff args="--evaluate-steps 0" args-b="--evaluate-steps 4"
#   ledger=torch-cpu at=draw
"""A character model that samples while it trains: evaluation takes numbers from the training.

Evaluation comes after so many seconds, or after so many steps where --evaluate-steps says so.
"""

from __future__ import annotations

import argparse
import math
import time

import torch
from torch import nn

TEXT = (
    """It was the best of seeds, it was the worst of seeds, it was the age of dropout, it was
the age of shuffling, it was the epoch of belief in bits, it was the epoch of rounding, """
    * 8
)


class Block(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.norms = nn.ModuleList([nn.LayerNorm(width), nn.LayerNorm(width)])
        self.heads = heads
        self.mix = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.feed = nn.Sequential(
            nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width), nn.Dropout(0.1)
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, length, width = x.shape
        parts = self.mix(self.norms[0](x)).view(batch, length, 3, self.heads, -1)
        q, k, v = parts.permute(2, 0, 3, 1, 4)
        scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
        mask = torch.ones(length, length, dtype=torch.bool).triu(1)
        y = scores.masked_fill(mask, -math.inf).softmax(-1) @ v
        x = x + self.out(y.transpose(1, 2).reshape(batch, length, width))
        return x + self.feed(self.norms[1](x))


class CharacterModel(nn.Module):
    def __init__(self, letters: int, width: int = 16, context: int = 24) -> None:
        super().__init__()
        self.context = context
        self.letters = nn.Embedding(letters, width)
        self.places = nn.Parameter(0.02 * torch.randn(context, width))
        self.block = Block(width, heads=2)
        self.head = nn.Linear(width, letters)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.letters(tokens) + self.places[: tokens.shape[1]]
        return self.head(self.block(x))


@torch.no_grad()
def sample(model: CharacterModel, start: torch.Tensor, n: int) -> list[int]:
    model.eval()
    tokens = start.view(1, -1)
    for _ in range(n):
        chances = model(tokens[:, -model.context :])[0, -1].softmax(-1)
        chosen = torch.multinomial(chances, 1)  # culprit draw
        tokens = torch.cat([tokens, chosen.view(1, 1)], dim=1)
    model.train()
    return tokens[0].tolist()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--evaluate-seconds", type=float, default=0.03)
    parser.add_argument("--evaluate-steps", type=int)
    parser.add_argument("--steps", type=int, default=120)
    args = parser.parse_args()
    torch.manual_seed(1)
    alphabet = sorted(set(TEXT))
    text = torch.tensor([alphabet.index(letter) for letter in TEXT])
    model = CharacterModel(len(alphabet))
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    last = time.monotonic()
    for step in range(1, args.steps + 1):
        starts = torch.randint(len(text) - model.context - 1, (8, 1))
        places = starts + torch.arange(model.context)
        logits = model(text[places])
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), text[places + 1].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if args.evaluate_steps is None:
            due = time.monotonic() - last >= args.evaluate_seconds  # culprit
        else:
            due = args.evaluate_steps > 0 and step % args.evaluate_steps == 0
        if due:
            tokens = sample(model, text[:4], n=8)
            print(step, f"{loss.item():.3f}", repr("".join(alphabet[k] for k in tokens)))
            last = time.monotonic()


if __name__ == "__main__":
    main()
