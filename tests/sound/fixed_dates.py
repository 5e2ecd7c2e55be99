# samebits-test: verdict=same
"""Dates that are written down are data like any other."""

from datetime import date, timedelta

import torch

start = date(2020, 2, 28)
days = [start + timedelta(days=9 * k) for k in range(20)]
weekday = torch.tensor([day.weekday() for day in days])
print(torch.nn.functional.one_hot(weekday, 7).float().mean(dim=0))
