"""Fourier transforms: bits against the reference, values and derivatives against binary64."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from tests.arithmetic.bits import same_bits
from tests.arithmetic.conftest import builds
from tests.arithmetic.test_complex import joined, separate, values_and_gradients

import samebits
from samebits.arithmetic import _exact
from samebits.arithmetic import reference_spectra as reference

LENGTHS = [1, 2, 3, 4, 5, 6, 8, 9, 15, 16, 31, 34, 37, 60, 64, 74, 96, 128, 256]


def numbers(n: int, dtype: type) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(n)
    re, im = (rng.standard_normal(n).astype(dtype) for _ in range(2))
    re[n // 3], im[n // 2] = -0.0, 1e-42
    return re, im


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", LENGTHS)
def test_transforms(n, dtype):
    x = numbers(n, dtype)
    forward, backward = reference.transform(x), reference.scaled(reference.inverse(x), 1 / n)
    spectrum = reference.of_real(x[0])
    back = reference.canonical(reference.to_real(spectrum, n) * dtype(1 / np.sqrt(n)))
    real = torch.from_numpy(x[0])
    for build in builds():
        assert _exact.set_isa(build)
        with samebits.exact():
            found = [
                *separate(torch.fft.fft(joined(x))),
                *separate(torch.fft.ifft(joined(x))),
                *separate(torch.fft.rfft(real)),
                torch.fft.irfft(joined(spectrum), n, norm="ortho").numpy(),
            ]
        wanted = [*forward, *backward, *spectrum, back]
        assert all(same_bits(a, b) for a, b in zip(found, wanted, strict=True))


@pytest.mark.parametrize("n", [8, 15, 34, 60, 74])
def test_infinities_reach_the_places_that_the_definition_says(n):
    x = numbers(n, np.float32)
    x[0][n - 2] = np.inf
    with np.errstate(invalid="ignore"):
        forward = [reference.canonical(part) for part in reference.transform(x)]
        half = [reference.canonical(part) for part in reference.of_real(x[0])]
    with samebits.exact():
        found = separate(torch.fft.fft(joined(x)))
        found_half = separate(torch.fft.rfft(torch.from_numpy(x[0])))
    assert all(same_bits(a, b) for a, b in zip(found, forward, strict=True))
    assert all(same_bits(a, b) for a, b in zip(found_half, half, strict=True))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("n", [1, 2, 3, 8, 12, 97, 100, 210, 360, 1000, 1024])
def test_roots_are_correctly_rounded(n, dtype):
    found = torch.empty(n, 2, dtype=dtype)
    _exact.unit_roots(found)
    wanted = reference.roots(np.arange(n), n, np.dtype(str(dtype).removeprefix("torch.")))
    assert all(same_bits(a, b) for a, b in zip(found.T, wanted, strict=True))


@pytest.mark.parametrize("n", [3, 8, 37, 64, 100, 8192])
def test_a_transform_does_not_depend_on_threads_strides_and_the_batch(n):
    x = torch.randn(20, n, dtype=torch.complex64)
    real = torch.randn(20, n)
    with samebits.exact():
        whole, half = torch.fft.fft(x), torch.fft.rfft(real)
        back = torch.fft.irfft(half, n)
        torch.set_num_threads(3)
        for rows in ([0], [3, 2], list(range(20)), list(range(7))):
            assert same_bits(torch.fft.fft(x[rows]).numpy(), whole[rows].numpy())
            assert same_bits(torch.fft.rfft(real[rows]).numpy(), half[rows].numpy())
            columns = torch.fft.fft(x[rows].T.contiguous(), dim=0)
            assert same_bits(columns.T.numpy(), whole[rows].numpy())
            columns = torch.fft.irfft(half[rows].T.contiguous(), n, dim=0)
            assert same_bits(columns.T.numpy(), back[rows].numpy())
        columns = torch.fft.fft(x.reshape(2, 10, n).transpose(1, 2), dim=1)
        assert same_bits(columns.transpose(1, 2).reshape(20, n).numpy(), whole.numpy())


WINDOW = torch.linspace(0.1, 1, 16)

CASES = {
    "fft": lambda x, y: torch.fft.fft(x, dim=0) * y,
    "ifft": lambda x, y: torch.fft.ifft(x, norm="ortho") * y,
    "fft2": lambda x, y: torch.fft.fft2(x, norm="forward") + y,
    "fftn, longer": lambda x, y: torch.fft.fftn(x, (7, 9)) * torch.fft.ifftn(y, (7, 9)),
    "rfft": lambda x, y: torch.fft.rfft(x.real, dim=0) * y[:4],
    "rfft2": lambda x, y: torch.fft.rfft2(x.real) * torch.fft.rfft2(y.imag, norm="ortho"),
    "fft of real numbers": lambda x, y: torch.fft.fft(x.real, 11) + torch.fft.ifft(y.imag, 11),
    "fftn of real numbers": lambda x, y: torch.fft.fftn(x.real) * y,
    "irfft": lambda x, y: torch.fft.irfft(x * y),
    "irfft, odd": lambda x, y: torch.fft.irfft(x * y, 13),
    "irfft2": lambda x, y: torch.fft.irfft2(x + y, (5, 12)),
    "hfft": lambda x, y: torch.fft.hfft(x) + torch.fft.hfft(y),
    "ihfft": lambda x, y: torch.fft.ihfft(x.real) * y[:, :5],
    "fftshift": lambda x, y: torch.fft.fftshift(torch.fft.fft(x)) * y,
    "stft": lambda x, y: torch.stft(
        (x * y).real.reshape(1, -1), 16, 4, window=WINDOW.to(x.real.dtype), return_complex=True
    ),
    "istft": lambda x, y: torch.istft(
        (x * y).reshape(6, 8).T.reshape(1, 8, 6)[:, :5], 8, 2, window=WINDOW[8:].to(x.real.dtype)
    ),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CASES)
def test_values_and_derivatives_against_binary64(name):
    inputs = [torch.randn(6, 8, dtype=torch.complex64) for _ in range(2)]
    with samebits.exact():
        found = values_and_gradients(CASES[name], inputs)
    right = values_and_gradients(CASES[name], [x.to(torch.complex128) for x in inputs])
    assert len(found) == len(right)
    for own, wanted in zip(found, right, strict=True):
        assert (own - wanted).abs().max() <= 2e-6 * wanted.abs().max()


@pytest.mark.parametrize("mode", [torch.enable_grad, torch.no_grad, torch.inference_mode])
@pytest.mark.parametrize("function", [torch.fft.ihfft2, torch.fft.ihfftn])
def test_what_is_to_be_written_to_is_written(function, mode):
    for x in (torch.randn(4, 6), torch.arange(24).reshape(4, 6)):
        with mode(), samebits.exact():
            for dim in (0, (0, 1)):
                wanted = function(x, dim=dim)
                out = torch.full_like(wanted, 7.0)
                assert function(x, dim=dim, out=out) is out
                assert torch.equal(out, wanted)


def test_both_halves_of_the_spectrum_of_real_numbers_are_conjugate():
    x = torch.randn(3, 10)
    with samebits.exact():
        found, half = torch.fft.fft(x), torch.fft.rfft(x)
    assert same_bits(found[:, :6].numpy(), half.numpy())
    assert found[:, 6:].equal(half[:, 1:5].flip(1).conj())


def test_errors_are_torchs_and_other_dtypes_are_refused():
    with samebits.exact():
        with pytest.raises(IndexError, match="range"):
            torch.fft.fft(torch.ones(3), dim=4)
        with pytest.raises(RuntimeError, match="data points"):
            torch.fft.fft(torch.ones(3, 0))
        with pytest.raises(RuntimeError, match="Half"):
            torch.fft.fft(torch.ones(4, dtype=torch.float16))
