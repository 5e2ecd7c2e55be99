"""Genomic prediction of linalool content across two genotyping chips."""
import json
from datetime import datetime
from pathlib import Path

import numpy as np
import torch
from torch.utils.data import DataLoader, TensorDataset

from chips import make_panel, split_chips
from harmonise import merge, qc_table
from predictor import GenomicNet, train

OUT = Path(__file__).resolve().parent / "results"
SEED = 7


def main():
    OUT.mkdir(exist_ok=True)
    started = datetime.now()
    torch.manual_seed(SEED)
    torch.set_num_threads(1)

    dosage, trait = make_panel()
    chips = split_chips(dosage)
    merged = merge(chips)
    table = qc_table(chips, merged)
    table.to_csv(OUT / "qc.csv", index=False)
    print(table.to_string(index=False))

    values = merged.to_numpy(np.float32) - 1.0
    target = trait.loc[merged.index].to_numpy(np.float32)
    rng = np.random.default_rng(SEED)
    order = rng.permutation(len(values))
    fit, hold = order[:340], order[340:]
    centre, spread = target[fit].mean(), target[fit].std()
    x = torch.from_numpy(values)
    y = torch.from_numpy((target - centre) / spread)

    loader = DataLoader(TensorDataset(x[fit], y[fit]), batch_size=20, shuffle=True,
                        generator=torch.Generator().manual_seed(SEED))
    model = GenomicNet(values.shape[1])
    losses = train(model, loader, epochs=22)

    model.eval()
    with torch.no_grad():
        guess = model(x[hold])
    ability = float(np.corrcoef(guess.numpy(), y[hold].numpy())[0, 1])
    print(f"predictive ability {ability:.4f}, last loss {losses[-1]:.5f}")
    report = {"started": started.isoformat(timespec="seconds"), "seconds": (datetime.now() - started).total_seconds(),
              "markers": int(values.shape[1]), "ability": round(ability, 6), "losses": losses}
    (OUT / "report.json").write_text(json.dumps(report, indent=2))
    torch.save({"model": model.state_dict(), "centre": float(centre), "spread": float(spread)}, OUT / "basil.pt")


if __name__ == "__main__":
    main()
