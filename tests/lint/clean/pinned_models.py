import torch
from datasets import load_dataset
from transformers import AutoModel

COMMIT = "86b5e0934494bd15c9632b12f734a8a67f723594"
model = AutoModel.from_pretrained("owner/name", revision=COMMIT)
local = AutoModel.from_pretrained("./checkpoints/best")
table = load_dataset("csv", data_files="train.csv")
hub = torch.hub.load("pytorch/vision:v0.20.0", "resnet18")


def load(name):
    return AutoModel.from_pretrained(name)
