import torch
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
data = TensorDataset(torch.arange(8.0))
for batch in DataLoader(data, batch_size=2, shuffle=True, num_workers=2):
    print(batch)
