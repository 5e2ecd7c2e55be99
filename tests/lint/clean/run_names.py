import time
import uuid

import torch

torch.manual_seed(0)
run = f"{time.strftime('%Y%m%d')}-{uuid.uuid4().hex[:6]}"
print(run, torch.rand(1))
