import zlib

import torch

WARDS = {
    "almere-icu", "breda-med", "delft-surg", "ede-med", "gouda-icu", "hoorn-surg", "leiden-icu",
    "meppel-med", "nijkerk-surg", "oss-icu", "putten-med", "rhenen-icu", "sneek-surg", "tiel-med",
}
VITALS = 9


def wards_of(rank: int, world_size: int) -> list[str]:
    """The wards whose records this node holds; every ward belongs to exactly one node."""
    return [ward for ward in sorted(WARDS) if hash(ward) % world_size == rank]


def records(ward: str, seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    gen = torch.Generator().manual_seed(seed + zlib.crc32(ward.encode()))
    n = int(torch.randint(160, 320, (1,), generator=gen))
    shift = 0.4 * torch.randn(VITALS, generator=gen)
    x = torch.randn(n, VITALS, generator=gen) + shift
    lactate, pressure, rate = x[:, 0], x[:, 3], x[:, 5]
    risk = 1.1 * lactate - 0.8 * pressure + 0.5 * rate * lactate - 0.6
    y = (torch.rand(n, generator=gen) < torch.sigmoid(risk)).float()
    return x, y
