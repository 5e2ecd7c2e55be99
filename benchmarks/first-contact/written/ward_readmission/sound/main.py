"""30-day readmission from ward records: pseudonymise, split by patient, train, report."""
import json
import logging
import time
import uuid
from datetime import datetime
from pathlib import Path

import pandas as pd
import torch

from model import ReadmissionNet, auc, train
from pseudonyms import pseudonymise

HERE = Path(__file__).parent
FEATURES = ["age", "length_of_stay", "n_drugs", "hb", "crp", "emergency", "prior_12m"]
log = logging.getLogger("ward")


def load():
    table = pd.read_csv(HERE / "admissions.csv")
    table["patient"] = table.pop("nhs_number").map(pseudonymise)
    table = table.sort_values(["patient", "admission"], kind="stable").reset_index(drop=True)
    log.info("%d admissions of %d patients", len(table), table["patient"].nunique())
    return table


def split_by_patient(table, held_out=0.25):
    """No patient may be on both sides."""
    patients = table["patient"].unique()
    test_patients = set(patients[: int(held_out * len(patients))])
    in_test = table["patient"].isin(test_patients)
    return table[~in_test], table[in_test]


def tensors(frame, mean, std):
    x = torch.tensor(((frame[FEATURES] - mean) / std).to_numpy(), dtype=torch.float32)
    return x, torch.tensor(frame["readmitted"].to_numpy(), dtype=torch.float32)


def main():
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(message)s")
    log.info("run %s of %s", uuid.uuid4().hex[:8], datetime.now().date())
    torch.manual_seed(99)
    torch.set_num_threads(1)

    table = load()
    train_part, test_part = split_by_patient(table)
    mean, std = train_part[FEATURES].mean(), train_part[FEATURES].std()
    x, y = tensors(train_part, mean, std)
    x_test, y_test = tensors(test_part, mean, std)

    begin = time.monotonic()
    net = ReadmissionNet(len(FEATURES))
    train(net, x, y, epochs=40, batch_size=64, lr=2e-3)
    log.info("trained in %.1f s", time.monotonic() - begin)

    net.eval()
    with torch.no_grad():
        risk = torch.sigmoid(net(x_test))
    result = {"auc": auc(risk, y_test), "mean_risk": risk.mean().item(), "n_test": len(y_test)}
    print(json.dumps(result))
    Path("results.json").write_text(json.dumps(result, indent=1))
    torch.save(net.state_dict(), "readmission.pt")


if __name__ == "__main__":
    main()
