"""Digests that are taken of names and of texts of objects, told from those of content."""

from __future__ import annotations

import pytest

from samebits.core.source.digests import digests_texts_of_objects, lines_that_digest_names


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("side = zlib.crc32(bytes(patient)) / 2**32", True),
        ("key = hashlib.md5(str(path).encode()).hexdigest()", True),
        ("n = int(sha256(path.as_posix().encode('utf-8')).hexdigest(), 16)", True),
        ("part = xxh64(name.encode()).intdigest() % 5", True),
        ("print(hashlib.sha256(weights.numpy().tobytes()).hexdigest())", False),
        ("key = hashlib.md5(json.dumps(settings).encode()).hexdigest()", False),
        ("same = sha1(path.read_bytes()).digest()", False),
        ("same = sha1(str(path.read_text()).encode()).digest()", False),
        ("name = str(path).encode()  # sha256", False),
        ("digest = hashlib.sha256()", False),
    ],
)
def test_what_is_digested(tmp_path, line, expected):
    script = tmp_path / "split.py"
    script.write_text(line + "\n")
    assert lines_that_digest_names(str(script)) == ((1,) if expected else ())


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("key = zlib.crc32(repr(self).encode())", True),
        ("key = hashlib.md5(f'{scenario!r}-{seed}'.encode()).hexdigest()", True),
        ("key = zlib.crc32(f'{name}-{seed}'.encode())", False),
        ("text = repr(self)", False),
    ],
)
def test_the_text_of_an_object_may_be_digested(tmp_path, line, expected):
    script = tmp_path / "split.py"
    script.write_text(line + "\n")
    assert digests_texts_of_objects(str(script)) == expected
