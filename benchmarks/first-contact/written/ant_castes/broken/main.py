"""Which caste does a tagged ant belong to?

Every colony is a contact network (who antennated whom during one night of tracking).
A two-layer graph network sees how often an ant moved, how long its contacts were, and
where it sits in the network: the leading Laplacian eigenvectors of its colony.
"""
import json
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import scipy.sparse as sp
import torch
import torch.nn as nn
import torch.nn.functional as F
from scipy.sparse.linalg import eigsh
from sklearn.metrics import balanced_accuracy_score, confusion_matrix

CASTES = ["nurse", "cleaner", "forager"]
AFFINITY = np.array([
    [0.130, 0.035, 0.006],
    [0.035, 0.090, 0.022],
    [0.006, 0.022, 0.110],
])


@dataclass
class Settings:
    seed: int = 41
    colonies: int = 26
    held_out: int = 6
    ants: tuple = (110, 170)
    position_dims: int = 6
    hidden: int = 40
    epochs: int = 25
    lr: float = 6e-3
    out: Path = field(default_factory=lambda: Path("results"))


@dataclass
class Colony:
    name: str
    contacts: sp.csr_matrix
    traits: np.ndarray
    caste: np.ndarray
    position: np.ndarray = None


def observe_colony(index, cfg):
    rng = np.random.default_rng([cfg.seed, index])
    n = int(rng.integers(*cfg.ants))
    caste = rng.choice(3, size=n, p=[0.45, 0.25, 0.30])
    rate = AFFINITY[caste][:, caste]
    upper = np.triu(rng.random((n, n)) < rate, k=1)
    # a lone ant is attached to the ant tagged before it, so that the network is connected
    for ant in range(1, n):
        if not upper[ant].any() and not upper[:, ant].any():
            upper[ant - 1, ant] = True
    seconds = rng.gamma(2.0, 1.5, size=(n, n)) * upper
    contacts = sp.csr_matrix(seconds + seconds.T)
    walked = rng.normal(np.array([1.0, 1.5, 2.0])[caste], 1.1)
    near_entrance = rng.normal(np.array([0.2, 0.35, 0.5])[caste], 0.3)
    degree = np.asarray((contacts > 0).sum(axis=1)).ravel()
    traits = np.stack([walked, near_entrance, np.log1p(degree)], axis=1)
    return Colony(f"colony-{index:02d}", contacts, traits, caste)


def normalized_laplacian(contacts):
    strength = np.asarray(contacts.sum(axis=1)).ravel()
    scale = sp.diags(1.0 / np.sqrt(np.maximum(strength, 1e-9)))
    return sp.identity(contacts.shape[0]) - scale @ contacts @ scale


def network_position(colony, cfg):
    """Coordinates of each ant along the slowest modes of its colony."""
    lap = normalized_laplacian(colony.contacts)
    values, vectors = eigsh(
        lap,
        k=cfg.position_dims + 1,
        which="SA",
        tol=1e-6,
    )
    order = np.argsort(values)[1:]
    return vectors[:, order] * np.sqrt(lap.shape[0])


class ContactLayer(nn.Module):
    def __init__(self, width_in, width_out):
        super().__init__()
        self.own = nn.Linear(width_in, width_out)
        self.others = nn.Linear(width_in, width_out, bias=False)

    def forward(self, x, mixing):
        return F.relu(self.own(x) + self.others(mixing @ x))


class CasteNet(nn.Module):
    def __init__(self, width_in, hidden):
        super().__init__()
        self.first = ContactLayer(width_in, hidden)
        self.second = ContactLayer(hidden, hidden)
        self.drop = nn.Dropout(0.2)
        self.head = nn.Linear(hidden, len(CASTES))

    def forward(self, x, mixing):
        x = self.drop(self.first(x, mixing))
        return self.head(self.second(x, mixing))


def to_tensors(colony, mean, std):
    traits = (colony.traits - mean) / std
    x = np.concatenate([traits, colony.position], axis=1)
    weights = colony.contacts.toarray()
    mixing = weights / np.maximum(weights.sum(axis=1, keepdims=True), 1e-9)
    return (
        torch.tensor(x, dtype=torch.float32),
        torch.tensor(mixing, dtype=torch.float32),
        torch.tensor(colony.caste),
    )


def train(model, graphs, cfg):
    optimizer = torch.optim.Adam(model.parameters(), lr=cfg.lr, weight_decay=1e-4)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, cfg.epochs)
    for epoch in range(cfg.epochs):
        model.train()
        total, ants = 0.0, 0
        for index in torch.randperm(len(graphs)).tolist():
            x, mixing, caste = graphs[index]
            loss = F.cross_entropy(model(x, mixing), caste)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(caste)
            ants += len(caste)
        schedule.step()
        if epoch % 5 == 0 or epoch == cfg.epochs - 1:
            print(f"epoch {epoch:3d}  loss {total / ants:.5f}")


@torch.no_grad()
def evaluate(model, graphs):
    model.eval()
    guesses = torch.cat([model(x, mixing).argmax(1) for x, mixing, _ in graphs]).numpy()
    truth = torch.cat([caste for _, _, caste in graphs]).numpy()
    return balanced_accuracy_score(truth, guesses), confusion_matrix(truth, guesses)


def main():
    cfg = Settings()
    torch.manual_seed(cfg.seed)
    np.random.seed(cfg.seed)

    colonies = [observe_colony(i, cfg) for i in range(cfg.colonies)]
    for colony in colonies:
        colony.position = network_position(colony, cfg)
    seen, unseen = colonies[:-cfg.held_out], colonies[-cfg.held_out:]
    stacked = np.concatenate([c.traits for c in seen])
    mean, std = stacked.mean(axis=0), stacked.std(axis=0)
    train_graphs = [to_tensors(c, mean, std) for c in seen]
    test_graphs = [to_tensors(c, mean, std) for c in unseen]
    print(f"{len(seen)} colonies to learn from, {len(unseen)} to predict, {len(stacked)} ants")

    model = CasteNet(train_graphs[0][0].shape[1], cfg.hidden)
    train(model, train_graphs, cfg)
    score, matrix = evaluate(model, test_graphs)
    print(f"balanced accuracy on unseen colonies {score:.4f}")
    for caste, row in zip(CASTES, matrix):
        print(f"  {caste:8s}", *(f"{count:4d}" for count in row))

    cfg.out.mkdir(exist_ok=True)
    torch.save(model.state_dict(), cfg.out / "caste_net.pt")
    (cfg.out / "scores.json").write_text(json.dumps(
        {"balanced_accuracy": score, "confusion": matrix.tolist()}, indent=2))


if __name__ == "__main__":
    main()
