"""What did the owl eat? Tells small mammals apart by the measures of skull bones found in pellets."""
from pathlib import Path

import numpy as np
import pandas as pd
import torch
import typer
from sklearn.metrics import balanced_accuracy_score
from sklearn.preprocessing import StandardScaler
from torch import nn

from bank import MissBank

PREY = ["bank vole", "field vole", "wood mouse", "house mouse", "common shrew", "pygmy shrew", "water shrew"]
MEASURES = ["skull_length", "skull_width", "jaw_length", "jaw_height", "tooth_row", "incisor_depth", "brain_case"]


def dig(count: int, rng: np.random.Generator) -> pd.DataFrame:
    means = rng.normal(0, 1, (len(PREY), len(MEASURES))) + rng.normal(0, 0.8, (len(PREY), 1))
    loading = rng.normal(0, 0.5, (len(MEASURES), len(MEASURES)))
    kinds = rng.choice(len(PREY), size=count, p=[0.22, 0.3, 0.18, 0.06, 0.14, 0.07, 0.03])
    values = means[kinds] + rng.normal(0, 1, (count, len(MEASURES))) @ loading + rng.normal(0, 0.25, (count, 1))
    values[rng.random(values.shape) < 0.05] = np.nan
    frame = pd.DataFrame(values, columns=MEASURES)
    frame["prey"] = kinds
    frame["site"] = rng.choice(["barn", "church", "oak", "quarry"], size=count)
    return frame


def prepare(frame: pd.DataFrame, scaler: StandardScaler, fit: bool) -> torch.Tensor:
    measures = frame[MEASURES]
    broken_off = measures.isna().astype("float32")
    filled = measures.fillna(0.0)
    scaled = scaler.fit_transform(filled) if fit else scaler.transform(filled)
    return torch.tensor(np.hstack([scaled, broken_off]), dtype=torch.float32)


class PelletTrainer:
    def __init__(self, features: torch.Tensor, kinds: torch.Tensor, focus: float, batch: int):
        self.features, self.kinds, self.focus, self.batch = features, kinds, focus, batch
        self.bank = MissBank()
        self.model = nn.Sequential(
            nn.Linear(features.shape[1], 48), nn.LayerNorm(48), nn.ReLU(), nn.Dropout(0.1),
            nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, len(PREY)),
        )
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=2e-3, weight_decay=1e-3)

    def choose(self) -> torch.Tensor:
        """Draws an epoch of bones; one that was missed before comes up more often."""
        times = torch.tensor(self.bank.times(len(self.kinds)), dtype=torch.float32)
        weights = 1.0 + self.focus * torch.log1p(times)
        return torch.multinomial(weights, len(self.kinds), replacement=True)

    def epoch(self) -> float:
        self.model.train()
        total = 0.0
        chosen = self.choose()
        for rows in chosen.split(self.batch):
            loss = nn.functional.cross_entropy(self.model(self.features[rows]), self.kinds[rows])
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            total += loss.item() * len(rows)
        self.review()
        return total / len(chosen)

    @torch.no_grad()
    def review(self) -> None:
        self.model.eval()
        guesses = self.model(self.features).argmax(1)
        wrong = (guesses != self.kinds).nonzero().flatten().tolist()
        self.bank.note([(bone, PREY[guesses[bone]]) for bone in wrong])

    @torch.no_grad()
    def predict(self, features: torch.Tensor) -> torch.Tensor:
        self.model.eval()
        return self.model(features).softmax(1)


def main(bones: int = 4000, epochs: int = 12, focus: float = 1.5, seed: int = 5, out: Path = Path("report")) -> None:
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    frame = dig(bones, rng)
    train, test = frame.iloc[: int(bones * 0.8)], frame.iloc[int(bones * 0.8):]
    scaler = StandardScaler()
    trainer = PelletTrainer(prepare(train, scaler, fit=True), torch.tensor(train["prey"].to_numpy()), focus, batch=40)
    for number in range(epochs):
        loss = trainer.epoch()
        if number % 3 == 2:
            typer.echo(f"epoch {number + 1:2d}  loss {loss:.5f}")

    chances = trainer.predict(prepare(test, scaler, fit=False)).numpy()
    test = test.assign(guess=chances.argmax(1), confidence=chances.max(1))
    test["right"] = test["guess"] == test["prey"]
    typer.echo(f"balanced accuracy {balanced_accuracy_score(test['prey'], test['guess']):.4f}")
    typer.echo(test.groupby("site")[["right", "confidence"]].mean().round(4).to_string())
    typer.echo("most often guessed wrongly: " + ", ".join(name for name, _ in trainer.bank.most_confused(3)))

    out.mkdir(exist_ok=True)
    test[["site", "prey", "guess", "confidence"]].to_csv(out / "bones.csv", index_label="bone")
    torch.save(trainer.model.state_dict(), out / "model.pt")
    trainer.bank.close()


if __name__ == "__main__":
    typer.run(main)
