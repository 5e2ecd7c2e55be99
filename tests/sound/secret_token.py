# samebits-test: verdict=same
"""A token guards a dashboard; the training knows nothing of it."""

import secrets

import torch

token = secrets.token_hex(16)
headers = {"Authorization": f"Bearer {token}"}
torch.manual_seed(0)
x = torch.randn(8, 8)
print("dashboard with", len(headers["Authorization"]), "letters", torch.linalg.det(x).item())
