"""Texts that hold an address are told apart from others, also among what lists and dicts hold."""

from __future__ import annotations

from samebits.check.diff.values import first_value_differences

SOURCE = """
    class Plain:
        pass

    thing = Plain()
    text = f"of {thing}"
    words = ["a", text]
    nested = ({"a": [text]}, 1)
    lengths = [id(thing)]
    """

KINDS = {
    "text": "address_text",
    "words": "address_text",
    "nested": "address_text",
    "lengths": "list",
}


def test_a_list_a_tuple_or_a_dict_of_such_texts_is_one(scripts):
    scripts.write(SOURCE)
    folders = []
    for _ in range(2):
        ended, result = scripts.recorded("script.py", trace_values=True)
        assert ended.code == 0, ended.stderr
        folders.append(result.folder)
    found = first_value_differences(*folders)
    kinds: dict[str, str] = {}
    for line in found.lines:
        kinds.update(zip(line.names, line.kinds, strict=True))
    assert {name: kinds.get(name, "") for name in KINDS} == KINDS
