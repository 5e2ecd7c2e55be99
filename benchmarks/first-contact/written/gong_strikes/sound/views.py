"""The views under which a gong strike is shown to the network."""
import zlib
from dataclasses import dataclass
from typing import Callable

import torch
from torch.signal import windows


@dataclass(frozen=True)
class View:
    name: str
    n_fft: int
    hop: int
    window: Callable[..., torch.Tensor]
    gain_db: float = 3.0
    noise: float = 0.02

    def seed(self, base: int) -> int:
        """Every view gets its own stream, so that adding one leaves the others as they were."""
        key = f"{self.name}:{self.n_fft}:{self.hop}:{self.gain_db}:{self.noise}"
        return base * 100_003 + zlib.crc32(key.encode())

    def perturb(self, wave: torch.Tensor, gen: torch.Generator) -> torch.Tensor:
        gain = (torch.rand(wave.shape[0], 1, generator=gen) * 2 - 1) * self.gain_db
        hiss = torch.randn(wave.shape, generator=gen) * self.noise
        return wave * 10 ** (gain / 20) + hiss

    def spectrogram(self, wave: torch.Tensor) -> torch.Tensor:
        win = self.window(self.n_fft)
        spec = torch.stft(wave, self.n_fft, self.hop, window=win, return_complex=True)
        return torch.log1p(spec.abs())


VIEWS = (
    View("attack", 128, 64, windows.hann, gain_db=2.0),
    View("bloom", 128, 64, windows.blackman),
    View("tail", 128, 64, windows.hamming, noise=0.04),
)
