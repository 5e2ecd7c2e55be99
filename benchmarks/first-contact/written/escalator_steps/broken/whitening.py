"""Principal components of the signal and its recent past."""
import torch

from memory import rows_at_once

LAGS = 8
TEMPORARIES = 4


def embed(signal: torch.Tensor) -> torch.Tensor:
    """Each sample together with the LAGS - 1 before it: (samples - LAGS + 1, channels * LAGS)."""
    return signal.unfold(0, LAGS, 1).flatten(1)


class Whitener:
    def __init__(self, components: int) -> None:
        self.components = components

    def fit(self, signal: torch.Tensor) -> "Whitener":
        width = signal.shape[1] * LAGS
        rows = rows_at_once(width * signal.element_size() * TEMPORARIES)
        total, square, count = torch.zeros(width), torch.zeros(width, width), 0
        for start in range(0, len(signal) - LAGS + 1, rows):
            part = embed(signal[start:start + rows + LAGS - 1])
            total += part.sum(0)
            square += part.T @ part
            count += len(part)
        self.mean = total / count
        covariance = square / count - torch.outer(self.mean, self.mean)
        values, vectors = torch.linalg.eigh(covariance)
        values, vectors = values.flip(0)[:self.components], vectors.flip(1)[:, :self.components]
        # eigenvectors have no sign of their own
        vectors = vectors * vectors.gather(0, vectors.abs().argmax(0, keepdim=True)).sign()
        self.explained = (values.sum() / covariance.trace()).item()
        self.matrix = vectors / values.clamp_min(1e-6).sqrt()
        return self

    def __call__(self, signal: torch.Tensor) -> torch.Tensor:
        return (embed(signal) - self.mean) @ self.matrix

    def state(self) -> dict[str, torch.Tensor]:
        return {"mean": self.mean, "matrix": self.matrix}
