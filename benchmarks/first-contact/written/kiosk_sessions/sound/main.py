"""Will a visitor finish the order at a self-service kiosk? Logistic and neural scores from raw touch logs."""

import argparse
import gzip
import json
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import QuantileTransformer
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

TARGET = "finished"
BOOKKEEPING = ["session", "parse_ms", TARGET]


def write_logs(folder: Path, sessions: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    for s in range(sessions):
        patience = rng.normal()
        touches = int(rng.integers(4, 40))
        gaps = rng.gamma(2.0, np.exp(-0.3 * patience), touches)
        screens = rng.integers(0, 8, touches)
        done = rng.random() < 1 / (1 + np.exp(-(1.2 * patience + 0.05 * (touches - 20))))
        events = [{"gap": round(float(g), 4), "screen": int(c)} for g, c in zip(gaps, screens)]
        body = {"kiosk": f"K{s % 6}", "events": events, "finished": bool(done)}
        (folder / f"{s:05d}.json.gz").write_bytes(gzip.compress(json.dumps(body).encode(), 1, mtime=0))


def parse_log(path: Path) -> dict:
    began = time.perf_counter()
    body = json.loads(gzip.decompress(path.read_bytes()))
    gaps = np.array([e["gap"] for e in body["events"]])
    screens = [e["screen"] for e in body["events"]]
    row = {
        "session": int(path.name.split(".")[0]),
        "kiosk": body["kiosk"],
        "touches": len(gaps),
        "mean_gap": gaps.mean(),
        "longest_gap": gaps.max(),
        "screens": len(set(screens)),
        "backtracks": sum(b < a for a, b in zip(screens, screens[1:])),
        "finished": int(body["finished"]),
    }
    row["parse_ms"] = (time.perf_counter() - began) * 1e3
    return row


def read_sessions(folder: Path) -> pd.DataFrame:
    table = pd.DataFrame([parse_log(p) for p in sorted(folder.glob("*.json.gz"))])
    slow = table["parse_ms"].quantile(0.99)
    print(f"parsed {len(table)} sessions, 99th percentile {slow:.2f} ms")
    return table.set_index("session", drop=False)


def features(table: pd.DataFrame) -> pd.DataFrame:
    numeric = table.select_dtypes("number").drop(columns=BOOKKEEPING)
    kiosks = pd.get_dummies(table["kiosk"], prefix="at", dtype=float)
    return pd.concat([numeric, kiosks], axis=1).astype(float)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sessions", type=int, default=1500)
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--seed", type=int, default=41)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)

    with tempfile.TemporaryDirectory(prefix="kiosk-") as tmp:
        write_logs(Path(tmp), args.sessions, args.seed)
        table = read_sessions(Path(tmp))

    inputs = features(table)
    fit, held = train_test_split(
        table.index.to_numpy(), test_size=0.3, stratify=table[TARGET], random_state=args.seed
    )
    scale = QuantileTransformer(n_quantiles=100, output_distribution="normal", random_state=args.seed)
    x = torch.from_numpy(scale.fit_transform(inputs.loc[fit])).float()
    held_x = torch.from_numpy(scale.transform(inputs.loc[held])).float()
    y = torch.tensor(table.loc[fit, TARGET].to_numpy(), dtype=torch.float32)

    loader = DataLoader(
        TensorDataset(x, y), batch_size=64, shuffle=True,
        generator=torch.Generator().manual_seed(args.seed + 1),
    )
    net = nn.Sequential(nn.LazyLinear(32), nn.ReLU(), nn.Dropout(0.1), nn.Linear(32, 1), nn.Flatten(0))
    net(x[:2])
    opt = torch.optim.AdamW(net.parameters(), lr=3e-3)
    for _ in range(args.epochs):
        for rows, label in loader:
            loss = F.binary_cross_entropy_with_logits(net(rows), label)
            opt.zero_grad()
            loss.backward()
            opt.step()

    net.eval()
    with torch.no_grad():
        score = net(held_x).sigmoid().numpy()
    print(f"held-out AUC {roc_auc_score(table.loc[held, TARGET], score):.6f}, mean score {score.mean():.7f}")
    print(f"weights {sum(p.double().abs().sum().item() for p in net.parameters()):.8f}")


if __name__ == "__main__":
    main()
