"""The probes along the machine, from the wire to the last dryer."""
from dataclasses import dataclass

SECTIONS = 4


@dataclass(frozen=True)
class Probe:
    section: int
    position_mm: int
    noise_ppm: int

    @property
    def spread(self) -> float:
        return self.noise_ppm * 1e-6

    def stream(self, seed: int) -> tuple[int, int]:
        return seed, hash(self) % 2**32


def install() -> list[Probe]:
    probes = []
    for section in range(SECTIONS):
        for place in range(5):
            probes.append(Probe(section, 400 + 1300 * place, 40_000 + 15_000 * ((section + place) % 3)))
    return probes
