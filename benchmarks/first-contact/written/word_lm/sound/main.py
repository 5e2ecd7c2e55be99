"""Tiny character-level transformer, trained on generated arithmetic sentences."""
import json
import math
import random
import time
from dataclasses import asdict, dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass(frozen=True)
class Config:
    seed: int = 11
    block: int = 40
    dim: int = 48
    heads: int = 4
    layers: int = 2
    steps: int = 90
    batch: int = 24
    lr: float = 3e-3


NAMES = {0: "zero", 1: "one", 2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight",
         9: "nine", 10: "ten"}


def corpus(rng, n):
    out = []
    while len(out) < n:
        a, b = rng.randint(0, 10), rng.randint(0, 10)
        if a + b in NAMES:
            out.append(f"{NAMES[a]} plus {NAMES[b]} is {NAMES[a + b]}.")
    return "\n".join(out)


class Block(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.n1, self.n2 = nn.LayerNorm(c.dim), nn.LayerNorm(c.dim)
        self.qkv, self.proj = nn.Linear(c.dim, 3 * c.dim), nn.Linear(c.dim, c.dim)
        self.mlp = nn.Sequential(nn.Linear(c.dim, 4 * c.dim), nn.GELU(), nn.Linear(4 * c.dim, c.dim), nn.Dropout(0.1))
        self.heads = c.heads

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = self.qkv(self.n1(x)).view(b, t, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.proj(y.transpose(1, 2).reshape(b, t, d))
        return x + self.mlp(self.n2(x))


class CharLM(nn.Module):
    def __init__(self, c, vocab):
        super().__init__()
        self.tok, self.pos = nn.Embedding(vocab, c.dim), nn.Embedding(c.block, c.dim)
        self.blocks = nn.Sequential(*[Block(c) for _ in range(c.layers)])
        self.norm, self.head = nn.LayerNorm(c.dim), nn.Linear(c.dim, vocab, bias=False)
        nn.init.normal_(self.tok.weight, std=0.02)
        self.head.weight = self.tok.weight

    def forward(self, idx):
        x = self.tok(idx) + self.pos(torch.arange(idx.shape[1]))
        return self.head(self.norm(self.blocks(x)))


def lr_at(step, c):
    return c.lr * min(1.0, (step + 1) / 20) * 0.5 * (1 + math.cos(math.pi * step / c.steps))


if __name__ == "__main__":
    c = Config()
    rng = random.Random(c.seed)
    torch.manual_seed(c.seed)
    text, held_out = corpus(rng, 1200), corpus(rng, 150)

    chars = sorted(set(text))
    missing = set(held_out) - set(chars)
    assert not missing, missing
    print(len(chars), "characters;", len(set(text.split())), "different words")
    stoi = {ch: i for i, ch in enumerate(chars)}
    data = torch.tensor([stoi[ch] for ch in text])
    test = torch.tensor([stoi[ch] for ch in held_out])

    model = CharLM(c, len(chars))
    decay = [p for p in model.parameters() if p.dim() > 1]
    plain = [p for p in model.parameters() if p.dim() <= 1]
    opt = torch.optim.AdamW([{"params": decay, "weight_decay": 0.05}, {"params": plain, "weight_decay": 0.0}])
    started = time.time()
    for step in range(c.steps):
        for group in opt.param_groups:
            group["lr"] = lr_at(step, c)
        at = torch.randint(len(data) - c.block - 1, (c.batch,))
        xy = torch.stack([data[i:i + c.block + 1] for i in at.tolist()])
        loss = F.cross_entropy(model(xy[:, :-1]).flatten(0, 1), xy[:, 1:].flatten())
        opt.zero_grad()
        loss.backward()
        opt.step()
        if step % 30 == 0:
            rate = (step + 1) * c.batch * c.block / (time.time() - started)
            print(f"step {step:4d} loss {loss.item():.6f} ({rate:,.0f} characters/s)")

    model.eval()
    with torch.no_grad():
        n = (len(test) - 1) // c.block
        x, y = test[:n * c.block].view(n, -1), test[1:n * c.block + 1].view(n, -1)
        bpc = F.cross_entropy(model(x).flatten(0, 1), y.flatten()).item() / math.log(2)
        ids = [stoi[ch] for ch in "two plus "]
        for _ in range(20):
            ids.append(model(torch.tensor([ids[-c.block:]]))[0, -1].argmax().item())
    print("sample:", repr("".join(chars[i] for i in ids)))
    print("held-out bits per character:", bpc)
    with open("metrics.json", "w") as f:
        json.dump({"config": asdict(c), "bpc": bpc}, f)
