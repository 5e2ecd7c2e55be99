"""A language model with an LSTM, adaptive softmax and averaged SGD."""

from __future__ import annotations

import torch
from torch import nn


class LM(nn.Module):
    def __init__(self, letters=60):
        super().__init__()
        self.e = nn.Embedding(letters, 24, padding_idx=0)
        self.d = nn.Dropout(0.3)
        self.r = nn.LSTM(24, 32, 2, dropout=0.2, proj_size=24)
        self.asm = nn.AdaptiveLogSoftmaxWithLoss(24, letters, [10, 30])
        for n, p in self.r.named_parameters():
            if "weight_hh" in n:
                nn.init.orthogonal_(p)
            elif "bias" in n:
                nn.init.zeros_(p)

    def forward(self, x, s, y):
        o, s = self.r(self.d(self.e(x)), s)
        return (self.asm(self.d(o).flatten(0, 1), y.flatten()), s, o)


def train():
    torch.manual_seed(0)
    m = LM()
    opt = torch.optim.ASGD(m.parameters(), 1.0, weight_decay=1e-06)
    data = torch.randint(1, 60, (41, 4))
    plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, patience=0)
    s = None
    for i in range(0, 40, 10):
        if s:
            s = tuple(t.detach() for t in s)
        out, s, o = m(data[i : i + 10], s, data[i + 1 : i + 11])
        loss = out.loss + 2 * o.pow(2).mean() + (o[1:] - o[:-1]).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(m.parameters(), 0.25)
        opt.step()
        plateau.step(loss.detach())
    m.eval()
    with torch.no_grad():
        out, _, o = m(data[:10], None, data[1:11])
        ppl = out.loss.exp()
        lp = m.asm.log_prob(o.flatten(0, 1))
        nxt = m.asm.predict(o.flatten(0, 1))
    return (m, loss, ppl, lp, nxt)
