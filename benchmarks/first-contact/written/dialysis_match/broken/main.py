"""How many days does dialysis add to a stay in hospital? Answered on a matched cohort."""
import csv
import time
from dataclasses import dataclass

import torch
from torch import nn

from estimator import StayModel, tensors
from matching import match
from registry import enrol


@dataclass
class Settings:
    patients: int = 7000
    epochs: int = 12
    batch: int = 40
    rate: float = 4e-3
    seed: int = 2206


def main(settings=Settings()):
    started = time.monotonic()
    torch.manual_seed(settings.seed)
    patients = enrol(settings.patients, settings.seed)
    matched = match(patients)
    cohort = [patient for case, controls in matched for patient in (case, *controls)]
    numbers = {patient.number for patient in cohort}
    rest = [patient for patient in patients if patient.number not in numbers]
    print(f"{len(matched)} cases matched, {len(cohort)} patients in the cohort, {len(rest)} not in it")

    facts, dialysis, stay = tensors(cohort)
    centre, spread = facts.mean(0), facts.std(0)
    facts = (facts - centre) / spread

    model = StayModel()
    optimizer = torch.optim.AdamW(model.parameters(), lr=settings.rate)
    for epoch in range(settings.epochs):
        total = 0.0
        for rows in torch.randperm(len(facts)).split(settings.batch):
            loss = nn.functional.huber_loss(model(facts[rows], dialysis[rows]), stay[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(rows)
        if epoch % 4 == 3:
            print(f"epoch {epoch + 1}: loss {total / len(facts):.6f}")

    with torch.no_grad():
        added = model.effect(facts[dialysis > 0]).squeeze(1)
    print(f"dialysis adds {added.mean().item():.5f} days (from {added.min().item():.5f} to {added.max().item():.5f})")
    torch.save(model.state_dict(), "stay.pt")
    with open("cohort.csv", "w", newline="") as file:
        writer = csv.writer(file)
        for case, controls in matched:
            writer.writerow([case.number, *(control.number for control in controls)])
    print(f"took {time.monotonic() - started:.1f} s")


if __name__ == "__main__":
    main()
