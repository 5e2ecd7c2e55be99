"""Predict who comes to a vaccination appointment, with books that stay in their clinics."""

import csv
import json
import time
import uuid
from pathlib import Path

import torch
from torch.nn.utils import parameters_to_vector, vector_to_parameters

from clinics import FEATURES, appointment_book
from local import Clinic, build_model
from secure import SecureRound

HERE = Path(__file__).resolve().parent
N_CLINICS = 6
ROUNDS = 30
SERVER_LR = 1.0
SERVER_MOMENTUM = 0.5


@torch.no_grad()
def evaluate(model, weights, table, came):
    vector_to_parameters(weights.clone(), model.parameters())
    logits = model(table).squeeze(1)
    loss = torch.nn.functional.binary_cross_entropy_with_logits(logits, came).item()
    return loss, ((logits > 0) == (came > 0.5)).float().mean().item()


def main():
    torch.manual_seed(12)
    torch.set_num_threads(1)
    session = uuid.uuid4()
    print(f"session {session}, {N_CLINICS} clinics")

    clinics = [Clinic(k, *appointment_book(k)) for k in range(N_CLINICS)]
    held_out = appointment_book(N_CLINICS, n=600)
    model = build_model(len(FEATURES))
    weights = parameters_to_vector(model.parameters()).detach().clone()
    velocity = torch.zeros_like(weights)

    history = []
    began = time.monotonic()
    for number in range(ROUNDS):
        exchange = SecureRound(N_CLINICS, weights.numel())
        for clinic in clinics:
            update, _ = clinic.train(model, weights)
            exchange.receive(exchange.protect(clinic.number, update))
        step = torch.from_numpy(exchange.mean()).float()
        velocity = SERVER_MOMENTUM * velocity + step
        weights = weights + SERVER_LR * velocity
        loss, accuracy = evaluate(model, weights, *held_out)
        history.append([number, f"{loss:.9f}", f"{accuracy:.6f}"])
        if number % 5 == 4:
            print(f"round {number + 1:2d}  loss {loss:.4f}  accuracy {accuracy:.3f}  "
                  f"{(time.monotonic() - began) / (number + 1) * 1000:.0f} ms per round")

    vector_to_parameters(weights, model.parameters())
    torch.save(model.state_dict(), HERE / "uptake.pt")
    with open(HERE / "rounds.csv", "w", newline="") as file:
        csv.writer(file).writerows([["round", "loss", "accuracy"], *history])
    (HERE / "session.json").write_text(
        json.dumps({"session": str(session), "rounds": ROUNDS, "accuracy": accuracy}))


if __name__ == "__main__":
    main()
