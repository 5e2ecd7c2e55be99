"""Lines that hand out memory as it is."""

from __future__ import annotations

import pytest

from samebits.core.source.allocations import hands_out_memory


@pytest.mark.parametrize(
    ("line", "hands_out"),
    [
        ("x = np.empty((3, 4))", True),
        ("x = torch.empty_like(y)", True),
        ("x = y.new_empty(3)", True),
        ("x = np.log(y, where=y > 0)", True),
        ("np.log(y, where=y > 0, out=x)", False),
        ("x = np.where(y > 0, y, 0)", False),
        ("x = np.zeros(3)", False),
        ("x = empty", False),
    ],
)
def test_what_hands_out_memory_is_known(tmp_path, line, hands_out):
    file = tmp_path / "train.py"
    file.write_text(f"{line}\n")
    assert hands_out_memory(str(file), 1) == hands_out
    assert not hands_out_memory(str(file), 9)


def test_a_file_that_cannot_be_read_hands_out_nothing(tmp_path):
    assert not hands_out_memory(str(tmp_path / "none.py"), 1)
