import copy

import torch
from torch import nn


def build_student(classes):
    return nn.Sequential(
        nn.Conv2d(1, 12, 3, padding=1), nn.BatchNorm2d(12), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(12, 24, 3, padding=1), nn.BatchNorm2d(24), nn.ReLU(),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Dropout(0.2), nn.Linear(24, classes))


class MeanTeacher:
    """A slow copy of the student, which the student is also trained towards."""

    def __init__(self, student, decay=0.98):
        self.model = copy.deepcopy(student).requires_grad_(False).eval()
        self.decay = decay

    @torch.no_grad()
    def follow(self, student):
        for mine, theirs in zip(self.model.parameters(), student.parameters()):
            mine.lerp_(theirs, 1 - self.decay)
        for mine, theirs in zip(self.model.buffers(), student.buffers()):
            mine.copy_(theirs)

    @torch.no_grad()
    def targets(self, images):
        return self.model(images).softmax(dim=-1)


def jitter(images):
    """Flip and brighten each image of a batch."""
    flip = torch.rand(len(images)) < 0.5
    images = torch.where(flip[:, None, None, None], images.flip(-1), images)
    gain = 1 + 0.2 * torch.randn(len(images), 1, 1, 1)
    return images * gain + 0.1 * torch.randn_like(images)
