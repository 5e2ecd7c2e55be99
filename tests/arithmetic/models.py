"""The kinds of model that are covered, each small, with the data of one step and its loss."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional

Model = tuple[nn.Module, Tensor, Tensor, Callable[[Tensor, Tensor], Tensor]]


class Residual(nn.Module):
    def __init__(self, channels: int, out: int, stride: int) -> None:
        super().__init__()
        self.first = nn.Conv2d(channels, out, 3, stride, 1, bias=False)
        self.norm = nn.BatchNorm2d(out)
        self.second = nn.Conv2d(out, out, 3, 1, 1, bias=False)
        self.second_norm = nn.BatchNorm2d(out)
        self.shortcut = nn.Sequential(
            nn.Conv2d(channels, out, 1, stride, bias=False), nn.BatchNorm2d(out)
        )

    def forward(self, x: Tensor) -> Tensor:
        y = functional.relu(self.norm(self.first(x)))
        return functional.relu(self.second_norm(self.second(y)) + self.shortcut(x))


class CausalBlock(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm, self.second_norm = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.hidden = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width), nn.Dropout(0.1)
        )

    def forward(self, x: Tensor) -> Tensor:
        b, t, w = x.shape
        q, k, v = (
            part.view(b, t, self.heads, w // self.heads).transpose(1, 2)
            for part in self.qkv(self.norm(x)).split(w, -1)
        )
        y = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(y.transpose(1, 2).reshape(b, t, w))
        return x + self.hidden(self.second_norm(x))


class GPT(nn.Module):
    def __init__(
        self, letters: int = 50, width: int = 32, length: int = 16, layers: int = 2
    ) -> None:
        super().__init__()
        self.letter, self.place = nn.Embedding(letters, width), nn.Embedding(length, width)
        self.blocks = nn.Sequential(*(CausalBlock(width, 4) for _ in range(layers)))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, letters, bias=False)

    def forward(self, letters: Tensor) -> Tensor:
        x = self.letter(letters) + self.place(torch.arange(letters.shape[1]))
        return self.head(self.norm(self.blocks(x))).flatten(0, 1)


class Recurrent(nn.Module):
    def __init__(self, kind: type[nn.RNNBase]) -> None:
        super().__init__()
        self.letter = nn.Embedding(20, 16)
        self.layers = kind(16, 24, 2, batch_first=True, dropout=0.1)
        self.head = nn.Linear(24, 5)

    def forward(self, letters: Tensor) -> Tensor:
        return self.head(self.layers(self.letter(letters))[0][:, -1])


class ViT(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, 32, 4, 4)
        self.token = nn.Parameter(torch.zeros(1, 1, 32))
        self.places = nn.Parameter(nn.init.trunc_normal_(torch.empty(1, 65, 32), std=0.02))
        layer = nn.TransformerEncoderLayer(
            32, 4, 64, batch_first=True, norm_first=True, activation="gelu"
        )
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(32, 10)

    def forward(self, images: Tensor) -> Tensor:
        x = self.patches(images).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(x.shape[0], -1, -1), x], 1) + self.places
        return self.head(self.encoder(x)[:, 0])


def mlp() -> Model:
    model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Dropout(0.2), nn.Linear(64, 7))
    return model, torch.randn(33, 20), torch.randint(0, 7, (33,)), functional.cross_entropy


def resnet() -> Model:
    model = nn.Sequential(
        nn.Conv2d(3, 8, 7, 2, 3, bias=False),
        nn.BatchNorm2d(8),
        nn.ReLU(inplace=True),
        nn.MaxPool2d(3, 2, 1),
        Residual(8, 8, 1),
        Residual(8, 16, 2),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(16, 10),
    )
    return model, torch.randn(4, 3, 32, 32), torch.randint(0, 10, (4,)), functional.cross_entropy


def gpt() -> Model:
    return (
        GPT(),
        torch.randint(0, 50, (4, 16)),
        torch.randint(0, 50, (64,)),
        functional.cross_entropy,
    )


def lstm() -> Model:
    letters, labels = torch.randint(0, 20, (4, 7)), torch.randint(0, 5, (4,))
    return Recurrent(nn.LSTM), letters, labels, functional.cross_entropy


def gru() -> Model:
    letters, labels = torch.randint(0, 20, (4, 7)), torch.randint(0, 5, (4,))
    return Recurrent(nn.GRU), letters, labels, functional.cross_entropy


def vit() -> Model:
    return ViT(), torch.randn(2, 3, 32, 32), torch.randint(0, 10, (2,)), functional.cross_entropy


def autoencoder() -> Model:
    model = nn.Sequential(
        nn.Conv2d(1, 8, 3, 2, 1),
        nn.ReLU(),
        nn.Conv2d(8, 16, 3, 2, 1),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(256, 16),
        nn.Linear(16, 256),
        nn.Unflatten(1, (16, 4, 4)),
        nn.ConvTranspose2d(16, 8, 2, 2),
        nn.ReLU(),
        nn.ConvTranspose2d(8, 1, 3, 2, 1, 1),
        nn.Sigmoid(),
    )
    images = torch.rand(4, 1, 16, 16)
    return model, images, images, functional.mse_loss


MODELS: dict[str, Callable[[], Model]] = {
    "mlp": mlp,
    "resnet": resnet,
    "gpt": gpt,
    "lstm": lstm,
    "gru": gru,
    "vit": vit,
    "autoencoder": autoencoder,
}
