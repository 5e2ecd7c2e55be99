"""Which companies will file late: an embedding of each filer and features of the filing."""
import argparse
import pickle
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from linkage import Linker

STEMS = ["Alder", "Birch", "Cedar", "Dover", "Ember", "Fulton", "Granite", "Harbor", "Ionic", "Juniper"]
TRADES = ["Steel", "Foods", "Energy", "Rail", "Labs", "Paper", "Mining", "Textiles"]
FORMS = ["10-K", "10-Q", "8-K"]
TAILS = ["Inc.", "INC", "Corp", "Holdings", "Group Ltd", ""]


def filings(count: int, companies: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    stems = [f"{s} {t} {n}" for n in range(1, 20) for s in STEMS for t in TRADES][:companies]
    habit = rng.normal(0, 1.3, companies)
    company = np.minimum(rng.zipf(1.15, count) - 1 + rng.integers(0, 40, count), companies - 1)
    company = np.where(rng.random(count) < 0.6, rng.integers(0, companies, count), company)
    pages = np.exp(rng.normal(3.5, 0.7, count))
    form = rng.integers(0, 3, count)
    logit = habit[company] + 0.5 * (np.log(pages) - 3.5) - 0.6 * (form == 2) - 0.4
    return pd.DataFrame(
        {
            "filer": [f"{stems[c]} {TAILS[t]}".strip() for c, t in zip(company, rng.integers(0, 6, count))],
            "form": [FORMS[f] for f in form],
            "pages": pages.round(),
            "filed": pd.Timestamp("2022-01-03") + pd.to_timedelta(np.sort(rng.integers(0, 700, count)), unit="D"),
            "late": (rng.random(count) < 1 / (1 + np.exp(-logit))).astype(int),
        }
    )


class LateModel(nn.Module):
    def __init__(self, entities: int, inputs: int, dim: int = 12):
        super().__init__()
        self.entity = nn.Embedding(entities, dim)
        nn.init.normal_(self.entity.weight, std=0.1)
        self.head = nn.Sequential(nn.Linear(dim + inputs, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, entity, x):
        return self.head(torch.cat([self.entity(entity), x], 1)).squeeze(1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--filings", type=int, default=12000)
    parser.add_argument("--companies", type=int, default=900)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1040)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    started = time.perf_counter()

    frame = filings(args.filings, args.companies, args.seed)
    linker = Linker()
    for name in frame["filer"]:
        linker.add(name)
    linker.link()
    codes = linker.codes()
    sizes = [len(entity.spellings) for entity in linker.entities()]
    print(f"{len(codes)} spellings of {len(sizes)} filers, {max(sizes)} of one at most")

    frame["entity"] = frame["filer"].map(codes)
    forms = pd.get_dummies(pd.Categorical(frame["form"], categories=FORMS), dtype=float)
    numbers = np.column_stack([np.log(frame["pages"]) - 3.5, frame["filed"].dt.month / 12, forms])
    entity = torch.tensor(frame["entity"].to_numpy())
    x = torch.tensor(numbers, dtype=torch.float32)
    y = torch.tensor(frame["late"].to_numpy(), dtype=torch.float32)
    cut = int(0.8 * len(frame))

    model = LateModel(len(sizes), x.shape[1])
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    loss_of = nn.BCEWithLogitsLoss()
    loader = DataLoader(TensorDataset(entity[:cut], x[:cut], y[:cut]), batch_size=200, shuffle=True)
    for epoch in range(args.epochs):
        model.train()
        for batch_entity, batch_x, label in loader:
            optimizer.zero_grad()
            loss_of(model(batch_entity, batch_x), label).backward()
            optimizer.step()
        model.eval()
        with torch.no_grad():
            held_out = loss_of(model(entity[cut:], x[cut:]), y[cut:]).item()
        print(f"epoch {epoch} held-out {held_out:.7f}")

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "late.pkl"
        path.write_bytes(pickle.dumps({"codes": codes, "state": model.state_dict()}))
        saved = pickle.loads(path.read_bytes())
    total = sum(v.double().abs().sum().item() for v in saved["state"].values())
    print(f"weights {total:.8f}, {time.perf_counter() - started:.2f} s")


if __name__ == "__main__":
    main()
