# samebits-test: verdict=same
"""os.urandom salts a note that is written and never read."""

import hashlib
import os
import tempfile

import torch

with tempfile.TemporaryFile() as file:
    file.write(hashlib.sha256(os.urandom(16) + b"annotator").digest())
print(torch.linspace(0, 3, 7).cos().prod())
