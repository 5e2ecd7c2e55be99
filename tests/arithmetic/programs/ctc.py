"""Speech: a recurrent network over packed sequences, CTC, fused AdamW."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional


class Speech(nn.Module):
    def __init__(self, vocab=12):
        super().__init__()
        self.conv = nn.Conv1d(20, 32, 5, 2, 2)
        self.rnn = nn.GRU(32, 24, 2, bidirectional=True, batch_first=True, dropout=0.1)
        self.ln = nn.LayerNorm(48)
        self.head = nn.Linear(48, vocab)

    def forward(self, x, n):
        h = functional.gelu(self.conv(x.transpose(1, 2))).transpose(1, 2)
        n = (n + 1) // 2
        packed = nn.utils.rnn.pack_padded_sequence(h, n, batch_first=True, enforce_sorted=False)
        out, _ = nn.utils.rnn.pad_packed_sequence(self.rnn(packed)[0], batch_first=True)
        return (functional.log_softmax(self.head(self.ln(out)), -1), n)


def train():
    torch.manual_seed(0)
    m = Speech()
    opt = torch.optim.AdamW(m.parameters(), 0.003, fused=True)
    wave = torch.randn(4, 60, 20)
    lens = torch.tensor([60, 52, 40, 31])
    wave = wave * torch.hann_window(20)
    tl = torch.tensor([6, 5, 4, 3])
    targets = torch.randint(1, 12, (4, 6))
    crit = nn.CTCLoss(zero_infinity=True)
    for _ in range(6):
        spec = wave.clone()
        t0 = torch.randint(0, 40, (1,)).item()
        spec[:, t0 : t0 + 5] = 0
        lp, n = m(spec, lens)
        loss = crit(lp.transpose(0, 1), targets, n, tl)
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(m.parameters(), 1.0)
        opt.step()
    with torch.no_grad():
        m.eval()
        lp, n = m(wave, lens)
        best = lp.argmax(-1)
        hyp = [torch.unique_consecutive(b[:k]) for b, k in zip(best, n, strict=True)]
    return (m, loss, hyp[0])
