# samebits-test: vary=clock cause=clock
"""The current year is a feature of each row."""

from datetime import date

import torch

born = torch.tensor([1950.0, 1984.0, 2001.0, 1999.0])
age = date.today().year - born  # culprit
print((age / age.max()).tolist())
