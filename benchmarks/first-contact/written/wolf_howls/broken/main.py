import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import torch
import torch.nn as nn
from sklearn.metrics import balanced_accuracy_score, confusion_matrix

import survey

CLIPS = 420
TEST_RECORDERS = ["R02", "R07"]


def spectrograms(clips: pd.DataFrame) -> torch.Tensor:
    audio = torch.from_numpy(np.stack([np.frombuffer(a, dtype=np.float32) for a in clips["audio"]]))
    spec = torch.stft(audio, 256, hop_length=128, window=torch.hann_window(256), return_complex=True).abs()
    spec = torch.log1p(spec[:, 2:66])
    return ((spec - spec.mean()) / spec.std()).unsqueeze(1)


class HowlNet(nn.Sequential):
    def __init__(self):
        super().__init__(
            nn.Conv2d(1, 8, 3, stride=2, padding=1), nn.BatchNorm2d(8), nn.ReLU(),
            nn.Conv2d(8, 16, 3, stride=2, padding=1), nn.BatchNorm2d(16), nn.ReLU(),
            nn.Conv2d(16, 32, 3, stride=2, padding=1), nn.ReLU(),
            nn.AdaptiveAvgPool2d((2, 2)), nn.Flatten(), nn.Dropout(0.2),
            nn.Linear(128, len(survey.CALLS)),
        )


def train(net, x, y, trust, epochs=10, batch=24):
    optimiser = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9, nesterov=True)
    order = torch.Generator().manual_seed(99)
    for epoch in range(epochs):
        net.train()
        running = 0.0
        for idx in torch.randperm(len(x), generator=order).split(batch):
            loss = (nn.functional.cross_entropy(net(x[idx]), y[idx], reduction="none") * trust[idx]).mean()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            running += loss.item() * len(idx)
        print(f"[{epoch + 1}/{epochs}] loss = {running / len(x):.6f}")


def main() -> int:
    torch.manual_seed(2024)
    with tempfile.TemporaryDirectory() as folder:
        database = str(Path(folder) / "survey.db")
        survey.fill(database, CLIPS, seed=5)
        clips = survey.read(database)

    print(clips["label"].value_counts().reindex(survey.CALLS).to_string())
    x = spectrograms(clips)
    y = torch.tensor([survey.CALLS.index(label) for label in clips["label"]])
    trust = torch.tensor(clips["agreement"].to_numpy(), dtype=torch.float32)
    test = torch.from_numpy(clips["recorder"].isin(TEST_RECORDERS).to_numpy().copy())

    net = HowlNet()
    train(net, x[~test], y[~test], trust[~test])

    net.eval()
    with torch.no_grad():
        logits = net(x[test])
    guess = logits.argmax(1).numpy()
    print(f"balanced accuracy on {TEST_RECORDERS}: {balanced_accuracy_score(y[test].numpy(), guess):.4f}")
    print(confusion_matrix(y[test].numpy(), guess, labels=range(len(survey.CALLS))))

    table = clips.loc[test.numpy(), ["recorder", "label", "votes"]].copy()
    table["predicted"] = [survey.CALLS[g] for g in guess]
    table["confidence"] = logits.softmax(1).amax(1).numpy().round(6)
    table.to_csv("test_clips.csv")
    torch.save(net.state_dict(), "howlnet.pt")
    return 0


if __name__ == "__main__":
    sys.exit(main())
