"""Rate perfume formulas with a bag of material embeddings."""
import time

import torch
from torch import nn

from formulas import make_formulas
from vocab import coverage, material_index, shared_materials

EPOCHS = 6
BATCH = 32


class ScentModel(nn.Module):
    def __init__(self, materials, width=24):
        super().__init__()
        self.bag = nn.EmbeddingBag(materials, width, mode="sum")
        self.head = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, 48), nn.GELU(), nn.Linear(48, 1))

    def forward(self, items, offsets, doses):
        return self.head(self.bag(items, offsets, per_sample_weights=doses)).squeeze(1)


def collate(batch, index):
    items, doses, offsets, ratings = [], [], [], []
    for materials, dose, rating in batch:
        offsets.append(len(items))
        items += [index[m] for m in materials]
        doses += dose
        ratings.append(rating)
    return torch.tensor(items), torch.tensor(offsets), torch.tensor(doses), torch.tensor(ratings)


def main():
    torch.manual_seed(11)
    formulas = make_formulas(3000, seed=404)
    train, test = formulas[:2500], formulas[2500:]
    index = material_index()
    print(f"{len(index)} materials, {len(shared_materials())} of them in two families")
    for family, count in coverage(train).items():
        print(f"  {family:10s}{count:3d}")

    model = ScentModel(len(index))
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    generator = torch.Generator().manual_seed(12)
    began = time.time()
    for epoch in range(EPOCHS):
        model.train()
        total = 0.0
        order = torch.randperm(len(train), generator=generator).tolist()
        for start in range(0, len(order), BATCH):
            items, offsets, doses, ratings = collate([train[i] for i in order[start:start + BATCH]], index)
            loss = nn.functional.smooth_l1_loss(model(items, offsets, doses), ratings)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(ratings)
        model.eval()
        with torch.no_grad():
            items, offsets, doses, ratings = collate(test, index)
            error = (model(items, offsets, doses) - ratings).abs().mean().item()
        print(f"epoch {epoch}  loss {total / len(train):.6f}  test error {error:.6f}")
    print(f"trained in {time.time() - began:.1f} s")

    torch.save({"model": model.state_dict(), "index": index}, "scents.pt")
    with torch.no_grad():
        pull = model.bag.weight.norm(dim=1)
    strongest = sorted(index, key=lambda m: -pull[index[m]].item())[:5]
    print("strongest materials:", ", ".join(strongest))


if __name__ == "__main__":
    main()
