"""Age of trout from otoliths: cross validation over rivers, folds side by side."""
import json
from pathlib import Path

import torch
from joblib import Parallel, delayed
from sklearn.model_selection import GroupKFold

from folds import fit_fold
from rings import make_otoliths

SEED = 300
FOLDS = 4


def main():
    data = make_otoliths(1600, SEED)
    print(f"{len(data['age'])} otoliths from {len(set(data['river'].tolist()))} rivers")
    splits = GroupKFold(FOLDS).split(data["profile"], groups=data["river"])
    parallel = Parallel(n_jobs=2, prefer="threads")
    results = parallel(
        delayed(fit_fold)(fold, data, train, test, SEED)
        for fold, (train, test) in enumerate(splits))

    weights, report = {}, []
    for result in results:
        fold = result["fold"]
        print(f"fold {fold}  first {result['losses'][0]:.6f}  last {result['losses'][-1]:.6f}  "
              f"mae {result['mae']:.6f}  ({result['seconds']:.1f} s)")
        for name, value in result["state"].items():
            weights[f"fold{fold}.{name}"] = value
        report.append({"fold": fold, "loss": result["losses"][-1], "mae": result["mae"]})
    mean = sum(entry["mae"] for entry in report) / len(report)
    print(f"mean absolute error {mean:.6f} years")

    torch.save(weights, "weights.pt")
    Path("result.json").write_text(json.dumps({"folds": report, "mae": mean}, indent=2))


if __name__ == "__main__":
    main()
