"""Camera patches of a ship's hull: clean paint, slime, weed or barnacles."""
import torch

KINDS = ("clean", "slime", "weed", "barnacles")
SIZE = 20


def _blur(image):
    return torch.nn.functional.avg_pool2d(image[None, None], 3, stride=1, padding=1)[0, 0]


def hull_patches(count, seed):
    g = torch.Generator().manual_seed(seed)
    grid = torch.arange(SIZE, dtype=torch.float32)
    yy, xx = torch.meshgrid(grid, grid, indexing="ij")
    images, labels, names = [], [], []
    for i in range(count):
        kind = int(torch.randint(0, len(KINDS), (), generator=g))
        image = 0.35 + 0.06 * torch.randn(SIZE, SIZE, generator=g)
        if kind == 1:
            image += 0.5 * _blur(_blur(_blur(torch.randn(SIZE, SIZE, generator=g))))
        elif kind == 2:
            phase, angle = torch.rand(2, generator=g) * 6.28
            image += 0.12 * torch.sin(0.9 * (xx * angle.cos() + yy * angle.sin()) + phase)
        elif kind == 3:
            for _ in range(int(torch.randint(2, 6, (), generator=g))):
                cy, cx = torch.rand(2, generator=g) * SIZE
                image += 0.25 * torch.exp(-((yy - cy) ** 2 + (xx - cx) ** 2) / 4)
        if torch.rand((), generator=g) < 0.12:              # the lamp failed
            image = 0.02 + 0.1 * (image - image.mean())
        images.append(image)
        labels.append(kind)
        names.append(f"frame{i // 8:03d}_{i % 8}")
    return torch.stack(images)[:, None], torch.tensor(labels), names


def augment(batch):
    if torch.rand(()) < 0.5:
        batch = batch.flip(3)
    if torch.rand(()) < 0.5:
        batch = batch.flip(2)
    gain = 1 + 0.15 * torch.randn(len(batch), 1, 1, 1)
    return batch * gain + 0.02 * torch.randn_like(batch)
