"""What this machine says of itself."""

from __future__ import annotations

import torch

from samebits.environment import capture, compare_environments
from samebits.environment.facts import SECTIONS
from samebits.environment.processor import processor_facts
from samebits.environment.torch_build import build_facts

CONFIG = """PyTorch built with:
  - GCC 13.3
  - C++ Version: 201703
  - Intel(R) oneAPI Math Kernel Library Version 2024.2-Product Build 20240605 for Intel(R) 64
  - Intel(R) MKL-DNN v3.12.0 (Git Hash 5b38bb)
  - OpenMP 201511 (a.k.a. OpenMP 4.5)
  - Build settings: BLAS_INFO=mkl, BUILD_TYPE=Release
"""


def test_two_captures_do_not_differ(tmp_path):
    data = tmp_path / "data.bin"
    data.write_bytes(b"abc")
    first, second = (capture(folder=tmp_path, files=[data]) for _ in range(2))
    assert compare_environments(first, second).differences == ()
    assert first.files[str(data)]["size"] == 3
    for name in SECTIONS:
        if name not in ("gpus", "code", "variables"):
            assert first.section(name), name


def test_another_file_and_other_threads_are_noticed(tmp_path):
    data = tmp_path / "data.bin"
    data.write_bytes(b"abc")
    before, threads = capture(folder=tmp_path, files=[data]), torch.get_num_threads()
    data.write_bytes(b"abd")
    torch.set_num_threads(threads + 1)
    try:
        after = capture(folder=tmp_path, files=[data])
    finally:
        torch.set_num_threads(threads)
    facts = {difference.fact for difference in compare_environments(before, after).differences}
    assert facts == {f"files.{data}.sha256", "threads.torch"}


def test_a_build_is_read_out_of_what_torch_says():
    facts = build_facts(CONFIG)
    assert facts["compiler"] == "GCC 13.3"
    assert facts["blas"].startswith("Intel(R) oneAPI Math Kernel Library Version 2024.2")
    assert facts["onednn"] == "3.12.0"
    assert facts["openmp"] == "201511"
    assert build_facts("BLAS_INFO=open, x")["blas"] == "open"


def test_this_torch_tells_its_build():
    assert build_facts(torch.__config__.show()).keys() >= {"blas", "compiler"}


def test_the_processor_is_told_without_torch():
    facts = processor_facts()
    assert facts["cores"] >= 1
    assert "capability" not in facts
