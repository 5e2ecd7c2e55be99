# samebits-test: verdict=different cause=control-flow|environment-changed
"""Each search may use so much processor time, as the system counts it."""

import resource

import torch


def used():
    return resource.getrusage(resource.RUSAGE_SELF).ru_utime  # culprit


def search(matrix, allowance):
    vector = torch.ones(len(matrix))
    end = used() + allowance
    while used() < end:  # culprit
        vector = matrix @ vector
        vector = vector / vector.norm()
    return vector


torch.manual_seed(0)
matrix = torch.randn(6, 6)
for _ in range(6):
    matrix = matrix + 0.1 * search(matrix, allowance=0.02).outer(torch.ones(6))
print(matrix.trace())
