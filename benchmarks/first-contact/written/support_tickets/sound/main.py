"""Route support tickets to teams: hashed words, an embedding bag, a linear layer.

Tickets are split by a digest of their id, so that a ticket never moves from one side to the other.
"""
import hashlib
import json
import random
import socket
import time
import uuid
from pathlib import Path

import torch
import torch.nn as nn

TEAMS = {
    "billing": "invoice refund charge card payment price".split(),
    "network": "slow timeout router dns packet latency".split(),
    "account": "login password locked email reset token".split(),
}
FILLER = "please help my the since yesterday again cannot it is broken thanks".split()
BUCKETS = 512
NAMESPACE = uuid.UUID("12345678-1234-5678-1234-567812345678")


def make_tickets(n, seed):
    rnd = random.Random(seed)
    names = sorted(TEAMS)
    for number in range(n):
        team = rnd.choice(names)
        words = rnd.choices(TEAMS[team], k=3) + rnd.choices(FILLER, k=6)
        if rnd.random() < 0.2:
            words += rnd.choices(TEAMS[rnd.choice(names)], k=2)
        rnd.shuffle(words)
        yield {"id": str(uuid.uuid5(NAMESPACE, f"ticket-{number}")), "text": " ".join(words), "team": names.index(team)}


def bucket_of(text, buckets):
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little") % buckets


def encode(tickets):
    ids, offsets, teams = [], [], []
    for t in tickets:
        offsets.append(len(ids))
        ids += [bucket_of(w, BUCKETS) for w in t["text"].split()]
        teams.append(t["team"])
    return torch.tensor(ids), torch.tensor(offsets), torch.tensor(teams)


class Router(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.EmbeddingBag(BUCKETS, 24, mode="mean")
        self.team = nn.Linear(24, len(TEAMS))

    def forward(self, ids, offsets):
        return self.team(self.words(ids, offsets))


def main():
    run = Path("runs") / f"{time.strftime('%Y%m%d-%H%M%S')}-{socket.gethostname()}-{uuid.uuid4().hex[:6]}"
    run.mkdir(parents=True)
    torch.manual_seed(3)
    tickets = list(make_tickets(1500, seed=3))
    train = [t for t in tickets if bucket_of(t["id"], 10) > 1]
    valid = [t for t in tickets if bucket_of(t["id"], 10) <= 1]
    print(f"{len(train)} tickets to train, {len(valid)} to validate")

    model = Router()
    opt = torch.optim.Adam(model.parameters(), lr=0.02)
    metrics = []
    for epoch in range(5):
        order = torch.randperm(len(train)).tolist()
        for i in range(0, len(order), 50):
            ids, offsets, teams = encode([train[j] for j in order[i:i + 50]])
            loss = nn.functional.cross_entropy(model(ids, offsets), teams)
            opt.zero_grad()
            loss.backward()
            opt.step()
        with torch.no_grad():
            ids, offsets, teams = encode(valid)
            out = model(ids, offsets)
            metrics.append({"loss": nn.functional.cross_entropy(out, teams).item(),
                            "accuracy": (out.argmax(1) == teams).double().mean().item()})
        print(f"epoch {epoch}: {metrics[-1]}")
    (run / "metrics.json").write_text(json.dumps(metrics))
    torch.save(model.state_dict(), run / "router.pt")


if __name__ == "__main__":
    main()
