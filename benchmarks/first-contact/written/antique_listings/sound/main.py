"""Estimate hammer prices of antiques from the wording of the listing."""
import argparse
import json

import numpy as np
import torch
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer
from torch import nn

PERIODS = {"georgian": 1.1, "victorian": 0.6, "edwardian": 0.4, "regency": 1.3, "deco": 0.8, "jacobean": 1.6}
WOODS = {"oak": 0.1, "mahogany": 0.5, "walnut": 0.6, "rosewood": 0.9, "pine": -0.5, "satinwood": 0.8}
OBJECTS = {"chest": 0.7, "chair": -0.2, "bureau": 0.9, "stool": -0.8, "table": 0.5, "cabinet": 0.8, "mirror": 0.1}
FLAWS = {"woodworm": -0.7, "restored": -0.3, "stained": -0.2, "cracked": -0.5, "original": 0.4, "signed": 0.9}
FILLER = (
    "fine handsome a with brass handles raised on bun feet drawers inlaid crossbanded moulded top carved frieze "
    "provenance private collection estate circa later elements shaped apron turned legs stretcher well figured"
).split()


def write_listings(count, rng):
    texts, prices = [], []
    for _ in range(count):
        words, value = [], 5.0
        for lexicon in (PERIODS, WOODS, OBJECTS):
            word = rng.choice(sorted(lexicon))
            words.append(word)
            value += lexicon[word]
        for word in rng.choice(sorted(FLAWS), size=rng.integers(0, 3), replace=False):
            words.append(word)
            value += FLAWS[word]
        words += list(rng.choice(FILLER, size=rng.integers(8, 20)))
        rng.shuffle(words)
        texts.append(" ".join(words))
        prices.append(value + rng.normal(0, 0.15))
    return np.array(texts), np.array(prices, dtype=np.float32)


def text_features(components, seed):
    return make_pipeline(
        TfidfVectorizer(ngram_range=(1, 2), min_df=3, sublinear_tf=True),
        TruncatedSVD(components, n_iter=3, random_state=seed),
        Normalizer(copy=False),
    )


class PriceNet(nn.Module):
    def __init__(self, width, hidden=64):
        super().__init__()
        self.body = nn.Sequential(
            nn.Linear(width, hidden), nn.ReLU(), nn.Dropout(0.1),
            nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, 1),
        )

    def forward(self, x):
        return self.body(x).squeeze(1)


def fit(x, y, epochs, batch):
    model = PriceNet(x.shape[1])
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for _ in range(epochs):
        for rows in torch.randperm(len(x)).split(batch):
            loss = nn.functional.mse_loss(model(x[rows]), y[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return model.eval()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--listings", type=int, default=2500)
    parser.add_argument("--components", type=int, default=48)
    parser.add_argument("--folds", type=int, default=4)
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--seed", type=int, default=31)
    args = parser.parse_args()

    rng = np.random.default_rng(args.seed)
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    texts, prices = write_listings(args.listings, rng)

    scores = []
    folds = KFold(args.folds, shuffle=True, random_state=args.seed)
    for fold, (train, test) in enumerate(folds.split(texts)):
        features = text_features(args.components, args.seed)
        x = torch.from_numpy(features.fit_transform(texts[train]).astype(np.float32))
        held = torch.from_numpy(features.transform(texts[test]).astype(np.float32))
        centre = prices[train].mean()
        model = fit(x, torch.from_numpy(prices[train] - centre), args.epochs, batch=64)
        with torch.no_grad():
            guess = model(held).numpy() + centre
        error = float(np.abs(guess - prices[test]).mean())
        explained = float(features[1].explained_variance_ratio_.sum())
        scores.append({"fold": fold, "mae_log": error, "explained": explained})
        print(f"fold {fold}: MAE of log price {error:.6f}, explained variance {explained:.6f}")

    print(f"mean MAE {np.mean([s['mae_log'] for s in scores]):.6f}")
    with open("folds.json", "w") as handle:
        json.dump(scores, handle, indent=2)
    torch.save(model.state_dict(), "price_net.pt")


if __name__ == "__main__":
    main()
