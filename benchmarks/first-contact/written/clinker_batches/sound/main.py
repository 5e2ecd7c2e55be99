"""Predict the 2, 7 and 28 day strength of cement from what the laboratory knows of the clinker."""
import random
import sys

import numpy as np
import torch

import lab

SEED = 1824
DATABASE = "clinker.db"
FUELS = ["coal", "petcoke", "tyres", "gas"]
SITES = ["Aalborg", "Beckum", "Chatham", "Devnya", "Esch"]


def fill(connection, batches):
    rng = np.random.default_rng(SEED)
    kilns = []
    for number, site in enumerate(SITES):
        for fuel in rng.choice(FUELS, size=2, replace=False):
            kilns.append((lab.add_kiln(connection, site, str(fuel)), number))
    centre = np.array([64.5, 20.8, 5.2, 3.1, 2.8, 1.9])
    spread = np.array([1.1, 0.7, 0.5, 0.4, 0.35, 0.4])
    for _ in range(batches):
        kiln_id, site = kilns[rng.integers(len(kilns))]
        oxides = np.maximum(centre + spread * rng.normal(size=6) + 0.1 * site, 0.2)
        cao, sio2, al2o3, fe2o3, so3, _ = oxides
        temp = rng.normal(1450, 18)
        blaine = rng.normal(370, 28)
        # Bogue's formulas
        c3s = 4.071 * cao - 7.600 * sio2 - 6.718 * al2o3 - 1.430 * fe2o3 - 2.852 * so3
        c2s = 2.867 * sio2 - 0.7544 * c3s
        c3a = 2.650 * al2o3 - 1.692 * fe2o3
        fine = blaine / 370
        overburnt = ((temp - 1450) / 40) ** 2
        strengths = np.array([
            (0.30 * c3s + 0.55 * c3a) * fine ** 1.3 - 2.0 * overburnt,
            (0.52 * c3s + 0.10 * c2s + 0.7 * c3a) * fine - 2.4 * overburnt,
            (0.72 * c3s + 0.45 * c2s + 0.6 * c3a) * fine ** 0.5 - 3.0 * overburnt,
        ]) + rng.normal(0, 1.2, size=3)
        lab.add_sample(connection, kiln_id, round(temp, 1), round(blaine, 1),
                       oxides.round(2).tolist(), strengths.round(1).tolist())
    connection.commit()


def load(connection):
    rows = lab.feature_rows(connection)
    ids = [row["sample_id"] for row in rows]
    x = [[float(row["fuel"] == fuel) for fuel in FUELS]
         + [row["burn_temp"], row["blaine"]]
         + [row[oxide] for oxide in lab.OXIDES] for row in rows]
    y = [[row[f"mpa_{days}"] for days in lab.AGES] for row in rows]
    return ids, torch.tensor(x), torch.tensor(y)


class Scaler:
    def __init__(self, data):
        self.mean = data.mean(0)
        self.std = data.std(0).clamp_min(1e-6)

    def to(self, data):
        return (data - self.mean) / self.std

    def back(self, data):
        return data * self.std + self.mean


def train(x, y, epochs=60, batch=32):
    model = torch.nn.Sequential(
        torch.nn.Linear(x.shape[1], 64), torch.nn.GELU(),
        torch.nn.Linear(64, 64), torch.nn.GELU(),
        torch.nn.Linear(64, y.shape[1]),
    )
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    steps = epochs * ((len(x) + batch - 1) // batch)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=8e-3, total_steps=steps)
    for epoch in range(epochs):
        losses = []
        for chunk in torch.randperm(len(x)).split(batch):
            loss = torch.nn.functional.smooth_l1_loss(model(x[chunk]), y[chunk])
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            losses.append(loss.item())
        if (epoch + 1) % 15 == 0:
            print(f"  epoch {epoch + 1:2d}  training loss {np.mean(losses):.6f}")
    return model


def main(batches):
    random.seed(SEED)
    np.random.seed(SEED)
    torch.manual_seed(SEED)

    connection = lab.connect(DATABASE)
    lab.create(connection)
    fill(connection, batches)
    ids, x, y = load(connection)
    connection.close()

    cut = int(0.8 * len(ids))
    x_scale, y_scale = Scaler(x[:cut]), Scaler(y[:cut])
    print(f"{cut} samples for training, {len(ids) - cut} for the test")
    model = train(x_scale.to(x[:cut]), y_scale.to(y[:cut]))

    with torch.no_grad():
        predicted = y_scale.back(model(x_scale.to(x[cut:])))
    error = predicted - y[cut:]
    for k, days in enumerate(lab.AGES):
        rmse = error[:, k].square().mean().sqrt()
        r2 = 1 - error[:, k].square().sum() / (y[cut:, k] - y[cut:, k].mean()).square().sum()
        print(f"{days:2d} days: rmse {rmse:.4f} MPa, R2 {r2:.4f}")

    print("samples to crush again:")
    worst = error[:, -1].abs().argsort(descending=True)[:4]
    for k in worst.tolist():
        print(f"  {ids[cut + k]}: measured {y[cut + k, -1]:.1f}, expected {predicted[k, -1]:.2f}")
    torch.save({"model": model.state_dict(), "x": vars(x_scale), "y": vars(y_scale)}, "strength.pt")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1200)
