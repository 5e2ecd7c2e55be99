# Guess the meter of a hymn from its words
import random
import sys
import time

import torch
import torch.nn as nn

from encode import PAD, Encoder
from hymnal import compose

SEED = 88
EPOCHS = 3
BATCH = 20

torch.manual_seed(SEED)
random.seed(SEED)


class MeterNet(nn.Module):
    def __init__(self, n_words, n_meters):
        super().__init__()
        self.embed = nn.Embedding(n_words + 1, 16, padding_idx=PAD)
        self.conv = nn.Conv1d(16, 32, 5, padding=2)
        self.gru = nn.GRU(32, 32, batch_first=True)
        self.head = nn.Linear(32, n_meters)

    def forward(self, x):
        h = torch.relu(self.conv(self.embed(x).transpose(1, 2))).transpose(1, 2)
        out, _ = self.gru(h)
        mask = (x != PAD).unsqueeze(-1)
        return self.head((out * mask).sum(1) / mask.sum(1))


def evaluate(net, encoder, hymns):
    net.eval()
    with torch.no_grad():
        x, y = encoder.batch(hymns)
        hits = net(x).argmax(1) == y
    return {m.value: hits[y == encoder.index[m]].float().mean().item()
            for m in sorted({h.meter for h in hymns}, key=lambda m: m.value)}, hits.float().mean().item()


def main():
    hymns = compose(360, SEED)
    encoder = Encoder(hymns)
    hymns = encoder.keep(hymns)
    train, test = hymns[:300], hymns[300:]
    net = MeterNet(len(encoder.vocab), len(encoder.index))
    opt = torch.optim.Adam(net.parameters(), lr=5e-3)
    loss_fn = nn.CrossEntropyLoss()
    for epoch in range(1, EPOCHS + 1):
        start = time.time()
        random.shuffle(train)
        net.train()
        losses = []
        for i in range(0, len(train), BATCH):
            x, y = encoder.batch(train[i:i + BATCH])
            loss = loss_fn(net(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            losses.append(loss.item())
        print(f"epoch {epoch} loss {sum(losses) / len(losses):.6f}")
        print(f"took {time.time() - start:.2f}s", file=sys.stderr)
    by_meter, overall = evaluate(net, encoder, test)
    with open("report.txt", "w") as f:
        for meter, acc in by_meter.items():
            f.write(f"{meter:<12} {acc:.3f}\n")
        f.write(f"overall      {overall:.3f}\n")
    print(f"test accuracy {overall:.4f}")
    torch.save(net.state_dict(), "meter_net.pt")


if __name__ == "__main__":
    main()
