"""Text that holds an object's address, and a seed that is made of it."""

from __future__ import annotations

import pytest
from tests.check.causes.made_up import divergence, entry

from samebits.check.causes.evidence import Evidence
from samebits.check.diff.value_lines import ValueDifference
from samebits.check.diff.values import ValueDifferences
from samebits.check.trials.attribution.address_in_text import (
    address_in_text,
    cause_by_address,
    digested_text,
)

SOURCE = """
import zlib

def note(net):
    line = str(net)
    print(line)

def stream(*parts):
    key = "|".join(str(p) for p in parts)
    return make(zlib.crc32(key.encode()))
"""


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "bench.py"
    path.write_text(SOURCE)
    return str(path)


def line(script, number, function, kind, name="key", role="variable"):
    return ValueDifference(
        file=script, line=number, function=function, names=(name,), kinds=(kind,), role=role
    )


def seeded(script, *, other_digest=2):
    site = entry("torch-generator").row.site._replace(file=script, line=10)
    seed = entry("torch-generator", "seed", seeded=1, site=site, other_digest=other_digest)
    return Evidence(found=divergence(), entries=(seed,))


def hashed(script, number):
    site = entry("address").row.site._replace(file=script, line=number)
    return entry("address", site=site, other_digest=2)


def test_a_hash_that_is_made_of_an_address(script):
    """Of several, the one that differs first where only addresses vary; else the only one."""
    found = seeded(script).entries
    one, two = hashed(script, 5), hashed(script, 9)
    values = ValueDifferences(lines=(line(script, 9, "stream", "int"),))
    cause = cause_by_address(values, Evidence(found=divergence(), entries=(one, two, *found)))
    assert (cause.code, cause.line, cause.confidence) == ("address-order", 9, "likely")
    assert "whose hash is made of an address" in cause.evidence
    assert "NaN" in cause.fix
    assert cause_by_address(values, Evidence(found=divergence(), entries=(one, *found))) is None

    # Where nothing but addresses was not varied, the only one counts whose number is not printed.
    def told(*entries):
        return cause_by_address(None, Evidence(found=divergence(), entries=entries))

    assert told(one, two, *found).line == 9
    assert told(one, *found) is None
    assert told(two, hashed(script, 10), *found) is None
    assert told(two) is None


def test_the_text_beside_the_seed_is_what_the_seed_is_made_of(script):
    lines = (
        line(script, 5, "note", "address_text", "line"),
        line(script, 9, "stream.<locals>.<genexpr>", "address_text", "return value", "result"),
        line(script, 10, "stream", "address_text"),
    )
    place = address_in_text(ValueDifferences(lines=lines), seeded(script))
    assert (place.line, place.variable) == (9, "")
    cause = cause_by_address(ValueDifferences(lines=lines[2:]), seeded(script))
    assert (cause.code, cause.line, cause.confidence) == ("address-order", 10, "likely")
    assert "holds an object's address" in cause.evidence
    assert "__repr__" in cause.fix


def test_text_without_an_address_tells_nothing(script):
    values = ValueDifferences(lines=(line(script, 9, "stream", "str"),))
    assert address_in_text(values, seeded(script)) is None
    assert cause_by_address(None, seeded(script)) is None


def test_a_text_that_no_seed_is_made_of_is_left_alone(script):
    values = ValueDifferences(lines=(line(script, 9, "stream", "address_text"),))
    assert address_in_text(values, seeded(script, other_digest=1)) is None


@pytest.mark.parametrize(
    ("source", "is_told"),
    [
        ("    return base + zlib.crc32(repr(self).encode())\n", True),
        ("    return base + zlib.crc32(self.name.encode())\n", False),
        ("    return base + len(repr(self))\n", False),
    ],
)
def test_a_digest_of_an_objects_text_in_no_variable(tmp_path, source, is_told):
    script = tmp_path / "views.py"
    script.write_text("import zlib\n\ndef seed(self, base):\n" + source)
    values = ValueDifferences(
        lines=(line(str(script), 4, "seed", "int", "return value", "result"),)
    )
    assert (digested_text(values) is not None) is is_told
    assert cause_by_address(values, Evidence(found=divergence(), entries=())) is None
    cause = cause_by_address(values, seeded(str(script)))
    assert (cause is not None) is is_told
    if cause is not None:
        assert (cause.code, cause.line, cause.confidence) == ("address-order", 4, "likely")
        assert "A digest of an object's text is taken here" in cause.evidence
        assert "give its class a __repr__" in cause.fix
