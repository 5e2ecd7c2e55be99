import os
import random
import tempfile
import time
import uuid

import numpy as np
import pandas as pd
import torch
import torch.nn as nn
from sklearn.metrics import average_precision_score, roc_auc_score

from features import NUMBERS, Encoder
from ledger import Ledger

SEED = 5
CARDS, PAYMENTS = 3000, 36000
TRAIN_WEEKS, TEST_WEEKS = (0, 8), (9, 11)
RATIO = 4                # genuine payments for each fraud
EPOCHS = 8
BATCH = 128
torch.set_num_threads(1)
RESULTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "results")


class FraudNet(nn.Module):
    def __init__(self, numbers, sizes, width=64):
        super().__init__()
        self.tables = nn.ModuleList(nn.Embedding(n, 6) for n in sizes)
        self.layers = nn.Sequential(
            nn.Linear(numbers + 6 * len(sizes), width), nn.BatchNorm1d(width), nn.ReLU(), nn.Dropout(0.15),
            nn.Linear(width, width), nn.BatchNorm1d(width), nn.ReLU(), nn.Dropout(0.15),
            nn.Linear(width, 1),
        )

    def forward(self, numbers, codes):
        parts = [numbers] + [table(codes[:, i]) for i, table in enumerate(self.tables)]
        return self.layers(torch.cat(parts, dim=1)).squeeze(1)


class Trainer:
    def __init__(self, ledger, seed):
        self.ledger = ledger
        self.seed = seed
        self.frauds = ledger.frauds(*TRAIN_WEEKS)
        reference = ledger.everything(*TRAIN_WEEKS)
        self.encoder = Encoder().fit(reference)
        self.model = FraudNet(len(NUMBERS), self.encoder.sizes)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=3e-3, weight_decay=1e-3)
        self.schedule = torch.optim.lr_scheduler.CosineAnnealingLR(self.optimizer, EPOCHS)
        # Undersampling shifts the odds, the bias below shifts them back for the scores
        self.offset = float(np.log(reference["is_fraud"].mean() * RATIO))
        self.rows = []

    def epoch_frame(self, epoch):
        genuine = self.ledger.genuine(*TRAIN_WEEKS, count=RATIO * len(self.frauds), seed=self.seed + epoch)
        frame = pd.concat([self.frauds, genuine], ignore_index=True)
        return frame.sample(frac=1.0, random_state=self.seed + 100 * epoch)

    def train_epoch(self, epoch):
        numbers, codes, target = self.encoder(self.epoch_frame(epoch))
        self.model.train()
        total = 0.0
        for part in torch.arange(len(target)).split(BATCH):
            if len(part) < 2:
                continue
            logits = self.model(numbers[part], codes[part])
            loss = nn.functional.binary_cross_entropy_with_logits(logits, target[part])
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            total += loss.item() * len(part)
        self.schedule.step()
        return total / len(target)

    @torch.no_grad()
    def score(self, frame):
        self.model.eval()
        numbers, codes, target = self.encoder(frame)
        return torch.sigmoid(self.model(numbers, codes) + self.offset).numpy(), target.numpy()

    def run(self):
        test = self.ledger.everything(*TEST_WEEKS)
        for epoch in range(EPOCHS):
            tick = time.monotonic()
            loss = self.train_epoch(epoch)
            chance, target = self.score(test)
            self.rows.append({"epoch": epoch, "loss": loss, "auc": roc_auc_score(target, chance),
                              "ap": average_precision_score(target, chance)})
            print(f"{time.ctime()}  epoch {epoch:2d}  loss {loss:.4f}  auc {self.rows[-1]['auc']:.4f}  "
                  f"ap {self.rows[-1]['ap']:.4f}  {time.monotonic() - tick:.2f}s")
        return pd.DataFrame(self.rows)


def main():
    random.seed(SEED)
    np.random.seed(SEED)
    torch.manual_seed(SEED)
    os.makedirs(RESULTS, exist_ok=True)
    job = uuid.uuid4().hex[:8]
    print(f"job {job} on {os.uname().nodename}")
    with tempfile.TemporaryDirectory(prefix=f"ledger-{job}-") as folder:
        ledger = Ledger(os.path.join(folder, "cards.sqlite"))
        ledger.fill(CARDS, PAYMENTS, np.random.default_rng(SEED))
        ledger.spot_check()
        trainer = Trainer(ledger, SEED)
        table = trainer.run()
        ledger.close()
    table.to_csv(os.path.join(RESULTS, "epochs.csv"), index=False)
    torch.save(trainer.model.state_dict(), os.path.join(RESULTS, "fraud_net.pt"))
    best = table.loc[table["ap"].idxmax()]
    print(f"best epoch {int(best['epoch'])}: auc {best['auc']:.5f}, average precision {best['ap']:.5f}")


if __name__ == "__main__":
    main()
