"""Two encoder subprocesses tokenise reviews over pipes; a bag-of-words model is trained on the rows."""
import json
import os
import random
import subprocess
import sys
import threading
from pathlib import Path

import torch
from torch import nn

BUCKETS = 256


class Encoder:
    def __init__(self, number):
        script = Path(__file__).resolve().with_name("encode.py")
        self.errors = open(f"encoder{number}.log", "w")
        self.process = subprocess.Popen([sys.executable, str(script), str(BUCKETS)], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors)

    def run(self, jobs, answers):
        for row, text in jobs:
            self.process.stdin.write(json.dumps({"row": row, "text": text}) + "\n")
            self.process.stdin.flush()
            answer = json.loads(self.process.stdout.readline())
            answers[answer["row"]] = answer["ids"]

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()
        self.errors.close()


def reviews(n, seed):
    rnd = random.Random(seed)
    good = ["great", "lovely", "fast", "sturdy", "bright", "worth"]
    bad = ["slow", "broken", "noisy", "late", "cheap", "dull"]
    plain = [f"item{k}" for k in range(80)]
    for _ in range(n):
        y = rnd.randrange(2)
        words = [rnd.choice((bad, good)[y if rnd.random() < 0.7 else 1 - y]) if rnd.random() < 0.25
                 else rnd.choice(plain) for _ in range(rnd.randint(6, 18))]
        yield " ".join(words), float(y)


def main():
    print("process", os.getpid())
    torch.manual_seed(314)
    texts, labels = zip(*reviews(600, 314))
    encoders = [Encoder(k) for k in range(2)]
    answers = {}
    threads = []
    for k, encoder in enumerate(encoders):
        threads.append(threading.Thread(target=encoder.run, args=(list(enumerate(texts))[k::2], answers)))
        threads[-1].start()
    for thread, encoder in zip(threads, encoders):
        thread.join()
        encoder.close()
    rows = [torch.tensor(answers[k]) for k in range(len(texts))]
    y = torch.tensor(labels)

    bag = nn.EmbeddingBag(BUCKETS, 16, mode="mean")
    out = nn.Linear(16, 1)
    opt = torch.optim.Adagrad([*bag.parameters(), *out.parameters()], lr=0.1)
    for epoch in range(5):
        for idx in torch.randperm(len(rows)).split(40):
            picked = [rows[k] for k in idx.tolist()]
            offsets = torch.tensor([0] + [len(p) for p in picked[:-1]]).cumsum(0)
            logit = out(bag(torch.cat(picked), offsets)).squeeze(1)
            loss = nn.functional.binary_cross_entropy_with_logits(logit, y[idx])
            opt.zero_grad()
            loss.backward()
            opt.step()
        print(f"epoch {epoch} loss {loss.item():.5f}")
    torch.save({"bag": bag.state_dict(), "out": out.state_dict()}, "reviews.pt")
    print("final loss", loss.item(), "norm", bag.weight.double().norm().item())


if __name__ == "__main__":
    main()
