"""Lupus flares from serum markers, learned across clinics that do not share their patients."""
import json
import secrets

import numpy as np
import torch
from sklearn.metrics import average_precision_score, roc_auc_score

from clinic import Clinic, draw_patients, make_model
from coordinator import Coordinator

SEED = 5
CLINICS = 7
CYCLES = 12


@torch.no_grad()
def assess(model, x, y):
    probability = torch.sigmoid(model(x).squeeze(1)).numpy()
    target = y.numpy()
    return {
        "auc": float(roc_auc_score(target, probability)),
        "ap": float(average_precision_score(target, probability)),
        "brier": float(np.mean((probability - target) ** 2)),
    }


def main():
    torch.manual_seed(SEED)
    key = secrets.token_bytes(16)
    clinics = [Clinic(n, SEED, key) for n in range(CLINICS)]
    coordinator = Coordinator(key)
    for clinic in clinics:
        clinic.start()
        coordinator.enrol(clinic.listener.address)
    cards = sorted(coordinator.directory.values(), key=lambda card: card["number"])
    for card in cards:
        print(f"clinic {card['number']}: {card['patients']} patients, {card['flares']} flares")

    test_x, test_y = draw_patients(np.random.default_rng([SEED, 99]), 1500, 0.0)
    model = make_model()
    weights = {k: v.numpy().copy() for k, v in model.state_dict().items()}
    history = []
    for cycle in range(CYCLES):
        weights, loss = coordinator.cycle(weights, epochs=2, lr=0.05 * 0.9**cycle)
        model.load_state_dict({k: torch.from_numpy(v) for k, v in weights.items()})
        history.append({"cycle": cycle, "loss": loss, **assess(model, test_x, test_y)})
        print("cycle {cycle:2d}  loss {loss:.5f}  auc {auc:.5f}  ap {ap:.5f}  brier {brier:.5f}".format(**history[-1]))

    coordinator.dismiss()
    for clinic in clinics:
        clinic.join()
    with open("history.json", "w") as f:
        json.dump({"clinics": cards, "history": history}, f, indent=1)
    torch.save(model.state_dict(), "flares.pt")


if __name__ == "__main__":
    main()
