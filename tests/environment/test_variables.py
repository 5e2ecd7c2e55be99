"""No secret is ever written."""

from __future__ import annotations

import pytest

from samebits.environment.variables import MASKED, RELEVANT, masked, relevant_variables


def test_only_the_listed_variables_are_looked_at():
    environment = {"MKL_CBWR": "AVX2", "AWS_SECRET_ACCESS_KEY": "x", "HOME": "/root", "PATH": "/"}
    assert relevant_variables(environment) == {"MKL_CBWR": "AVX2"}


def test_no_listed_variable_is_a_place_for_secrets():
    for name in RELEVANT:
        assert not any(word in name for word in ("TOKEN", "SECRET", "KEY", "PASSWORD"))


@pytest.mark.parametrize(
    "value",
    [
        "hf_abcdefghijklmnop",
        "sk-proj-1234567890abcdef",
        "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
        "AKIAIOSFODNN7EXAMPLE",
        "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY1",
        "https://user:hunter2@example.org/simple",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.x",
        "0123456789abcdef0123456789abcdef01234567",
        "prefix:0123456789abcdefghij0123456789",
    ],
)
def test_what_looks_like_a_secret_is_masked(value):
    assert masked(value) == MASKED


@pytest.mark.parametrize(
    "value",
    [
        "",
        "2",
        ":4096:8",
        "AVX512_CORE_AMX",
        "AVX2,STRICT",
        "expandable_segments:True,max_split_size_mb:128",
        "glibc.malloc.perturb=165",
        "granularity=fine,compact,1,0",
        "--xla_gpu_deterministic_ops=true",
        "GPU-3,GPU-1",
        "/usr/lib/x86_64-linux-gnu/libjemalloc.so.2",
        "en_GB.UTF-8",
    ],
)
def test_settings_are_not_masked(value):
    assert masked(value) == value


def test_a_long_value_is_cut():
    assert len(masked("a " * 1000)) == 500
