"""Whole trainings on data that ship with Python and scikit-learn: what people run inside `exact()`.

Each seeds, builds, trains and evaluates, and gives back the model, what the trained model says, and
the loss of every step. Nothing here knows of exact arithmetic.
"""

from __future__ import annotations

import email
import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path

import torch
from sklearn.datasets import load_digits
from tests.arithmetic.models import GPT
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.data import DataLoader, TensorDataset

Outcome = tuple[nn.Module, Tensor, list[float]]

TEXT_DIGEST = "f2b2ba74"


def text() -> str:
    """A text of 9561 characters that Python 3.10 to 3.13 install without a difference."""
    path = Path(email.__file__).with_name("architecture.rst")
    found = path.read_bytes()
    assert hashlib.sha256(found).hexdigest()[:8] == TEXT_DIGEST, f"another text in {path}"
    return found.decode("ascii")


def encoded() -> tuple[list[str], Tensor]:
    """The letters of the text, sorted, and the text as their numbers."""
    written = text()
    letters = sorted(set(written))
    numbers = {letter: number for number, letter in enumerate(letters)}
    return letters, torch.tensor([numbers[letter] for letter in written])


def digits_cnn() -> Outcome:
    """A convolutional network on images of digits: shuffled batches, noise, SGD, a schedule."""
    torch.manual_seed(0)
    data = load_digits()
    images = torch.tensor(data.images / 16, dtype=torch.float32)[:, None]
    labels = torch.tensor(data.target)
    model = nn.Sequential(
        nn.Conv2d(1, 12, 3, padding=1, bias=False),
        nn.BatchNorm2d(12),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(12, 24, 3, padding=1),
        nn.BatchNorm2d(24),
        nn.GELU(),
        nn.AvgPool2d(2),
        nn.Flatten(),
        nn.Dropout(0.2),
        nn.Linear(96, 10),
    )
    loader = DataLoader(TensorDataset(images[:640], labels[:640]), batch_size=32, shuffle=True)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-4)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, len(loader))
    losses = []
    for x, y in loader:
        optimizer.zero_grad()
        loss = functional.cross_entropy(
            model(x + 0.1 * torch.randn_like(x)), y, label_smoothing=0.1
        )
        loss.backward()
        optimizer.step()
        schedule.step()
        losses.append(loss.item())
    model.eval()
    with torch.no_grad():
        return model, model(images[640:800]), losses


def gpt() -> Outcome:
    """A small GPT that learns the letters of a text, AdamW, clipping; at the end it writes some."""
    torch.manual_seed(1)
    letters, numbers = encoded()
    length = 32
    model = GPT(len(letters), 32, length, 2)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    losses = []
    for _ in range(20):
        begins = torch.randint(len(numbers) - length, (8,)).tolist()
        x = torch.stack([numbers[i : i + length] for i in begins])
        y = torch.stack([numbers[i + 1 : i + length + 1] for i in begins])
        optimizer.zero_grad()
        loss = functional.cross_entropy(model(x), y.flatten())
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
    model.eval()
    with torch.no_grad():
        said = numbers[:8]
        for _ in range(8):
            after = model(said[None])[-1]
            said = torch.cat([said, torch.multinomial(torch.softmax(after, 0), 1)])
        return model, torch.cat([model(said[None]).flatten(), said.float()]), losses


class Letters(nn.Module):
    """Letters to letters, with a state that goes on from piece to piece."""

    def __init__(self, letters: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(letters, 16)
        self.layers = nn.LSTM(16, 32, 2, batch_first=True, dropout=0.1)
        self.head = nn.Linear(32, letters)

    def forward(
        self, letters: Tensor, state: tuple[Tensor, Tensor] | None
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        values, state = self.layers(self.embedding(letters), state)
        return self.head(values), state


def pieces(numbers: Tensor, rows: int, length: int) -> Iterator[tuple[Tensor, Tensor]]:
    """The text in rows, and these in pieces, each with the letters that follow."""
    usable = (len(numbers) - 1) // rows * rows
    x, y = numbers[:usable].view(rows, -1), numbers[1 : usable + 1].view(rows, -1)
    for first in range(0, x.shape[1] - length + 1, length):
        yield x[:, first : first + length], y[:, first : first + length]


def lstm() -> Outcome:
    """An LSTM that reads a text in pieces, Adam, the state carried over."""
    torch.manual_seed(2)
    letters, numbers = encoded()
    model = Letters(len(letters))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    state: tuple[Tensor, Tensor] | None = None
    losses = []
    for x, y in list(pieces(numbers, 16, 20))[:16]:
        if state is not None:
            state = (state[0].detach(), state[1].detach())
        optimizer.zero_grad()
        scores, state = model(x, state)
        loss = functional.cross_entropy(scores.flatten(0, 1), y.flatten())
        loss.backward()
        nn.utils.clip_grad_value_(model.parameters(), 0.5)
        optimizer.step()
        losses.append(loss.item())
    model.eval()
    with torch.no_grad():
        return model, model(numbers[None, :50], None)[0], losses


TRAININGS: dict[str, Callable[[], Outcome]] = {"digits_cnn": digits_cnn, "gpt": gpt, "lstm": lstm}
