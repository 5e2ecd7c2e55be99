import lightning as L
import torch

L.seed_everything(42, workers=True)
model = torch.nn.Linear(3, 1)
print(model)
