"""Lines that may put network addresses in an order."""

from __future__ import annotations

import pytest

from samebits.core.source.ordered_addresses import may_order_addresses


@pytest.mark.parametrize(
    ("source", "may"),
    [
        ("route = sorted(directory)", True),
        ("sites.sort(key=lambda site: site.address)", True),
        ("first = min(sites, key=lambda site: site.sock.getsockname())", True),
        ("for url in sorted(found):\n    print(url)", True),
        ("best = max(found)", True),
        ("best = max(loss, floor)", False),
        ("top = scores.max()", False),
        ("values = torch.sort(scores)", False),
        ("results.put(server.server_address[1])", False),
        ("rows.sort(key=lambda row: row.importance)", False),
        ("rows.sort(key=lambda row: row.server_port)", True),
        ("cards = sorted(directory.values(), key=lambda card: card['number'])", False),
        ("route = list(directory)", False),
        ("route = (", False),
    ],
)
def test_they_compare_things_as_they_are_or_by_an_address(tmp_path, source, may):
    script = tmp_path / "route.py"
    script.write_text(source)
    assert may_order_addresses(str(script), 1) is may
