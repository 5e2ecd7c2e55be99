"""A language model: rotary embeddings, checkpoints, bfloat16 autocast, GradScaler."""

from __future__ import annotations

import torch
import torch.utils.checkpoint
from torch import nn
from torch.nn import functional


class Block(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.h = h
        self.n1 = nn.RMSNorm(d)
        self.n2 = nn.RMSNorm(d)
        self.qkv = nn.Linear(d, 3 * d, bias=False)
        self.o = nn.Linear(d, d)
        self.w1 = nn.Linear(d, 2 * d)
        self.w3 = nn.Linear(d, 2 * d)
        self.w2 = nn.Linear(2 * d, d)

    def forward(self, x, cos, sin):
        batch, length, width = x.shape
        q, k, v = self.qkv(self.n1(x)).view(batch, length, 3, self.h, -1).permute(2, 0, 3, 1, 4)

        def rot(t):
            return torch.cat(
                [
                    t[..., : t.shape[-1] // 2] * cos - t[..., t.shape[-1] // 2 :] * sin,
                    t[..., : t.shape[-1] // 2] * sin + t[..., t.shape[-1] // 2 :] * cos,
                ],
                -1,
            )

        a = functional.scaled_dot_product_attention(
            rot(q),
            rot(k),
            v.to(rot(q).dtype),
            is_causal=True,
            dropout_p=0.1 if self.training else 0.0,
        )
        x = x + self.o(a.transpose(1, 2).reshape(batch, length, width))
        h = self.n2(x)
        return x + self.w2(functional.silu(self.w1(h)) * self.w3(h))


class LM(nn.Module):
    def __init__(self, letters=40, d=32):
        super().__init__()
        self.e = nn.Embedding(letters, d)
        self.b = nn.ModuleList(Block(d, 4) for _ in range(2))
        self.n = nn.LayerNorm(d)
        self.head = nn.Linear(d, letters, bias=False)
        self.head.weight = self.e.weight
        self.apply(
            lambda mod: (
                nn.init.trunc_normal_(mod.weight, std=0.02)
                if isinstance(mod, (nn.Linear, nn.Embedding))
                else None
            )
        )

    def forward(self, i):
        x = self.e(i)
        length = i.shape[1]
        f = 1.0 / 10000 ** (torch.arange(0, 4) / 4)
        a = torch.outer(torch.arange(length).float(), f)
        for b in self.b:
            x = torch.utils.checkpoint.checkpoint(b, x, a.cos(), a.sin(), use_reentrant=False)
        return self.head(self.n(x))


def train():
    torch.manual_seed(0)
    m = LM()
    decay = [p for p in m.parameters() if p.ndim > 1]
    rest = [p for p in m.parameters() if p.ndim <= 1]
    opt = torch.optim.AdamW(
        [{"params": decay, "weight_decay": 0.1}, {"params": rest, "weight_decay": 0}],
        0.001,
        fused=True,
    )
    scaler = torch.amp.GradScaler("cpu", init_scale=2.0**20, growth_interval=2)
    sched = torch.optim.lr_scheduler.SequentialLR(
        opt,
        [
            torch.optim.lr_scheduler.LinearLR(opt, 0.1, total_iters=2),
            torch.optim.lr_scheduler.CosineAnnealingLR(opt, 4),
        ],
        [2],
    )
    data = torch.randint(0, 40, (4, 17))
    for _ in range(6):
        opt.zero_grad()
        for half in data.split(2):
            with torch.autocast("cpu", dtype=torch.bfloat16):
                loss = (
                    functional.cross_entropy(
                        m(half[:, :-1]).flatten(0, 1), half[:, 1:].flatten(), label_smoothing=0.05
                    )
                    / 2
                )
            scaler.scale(loss).backward()
        scaler.unscale_(opt)
        nn.utils.clip_grad_norm_(m.parameters(), 1.0)
        scaler.step(opt)
        scaler.update()
        sched.step()
    m.eval()
    with torch.inference_mode(), torch.autocast("cpu", dtype=torch.bfloat16):
        said = data[:1, :4]
        for _ in range(4):
            scores = m(said)[:, -1].float() / 0.8
            v, _ = scores.topk(10)
            scores[scores < v[:, -1:]] = -float("inf")
            said = torch.cat([said, torch.multinomial(scores.softmax(-1), 1)], 1)
    return (m, loss, said, torch.tensor(scaler.get_scale()))
