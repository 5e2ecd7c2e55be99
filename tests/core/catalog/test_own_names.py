"""Names that a run has for itself, taken out of what it prints and writes."""

from __future__ import annotations

import uuid

import pytest

from samebits.core.catalog.own_names import OwnNames, without_own_names

DRAWN = bytes(range(0xA0, 0xB0))
OWN = OwnNames(4711, (DRAWN.hex(),))
AS_UUID = uuid.UUID(bytes=DRAWN, version=4)


@pytest.mark.parametrize(
    ("text", "without"),
    [
        ("run 4711 begins", "run # begins"),
        (f"run {AS_UUID} begins", "run # begins"),
        (f"saved runs/{AS_UUID.hex[:8]}/model.pt", "saved runs/#/model.pt"),
        (f"token {DRAWN.hex()}", "token #"),
        (f"{AS_UUID.hex[:12]} and {AS_UUID.hex}", "# and #"),
    ],
)
def test_own_names_are_taken_out(text, without):
    assert without_own_names(text, OWN) == without


@pytest.mark.parametrize(
    "text",
    [
        "loss 0.4711, 47110 rows, x4711",
        f"digest {AS_UUID.hex[8:16]}",  # not from the beginning on
        f"digest {AS_UUID.hex[:5]}",  # too short to be told from a word or a number
        f"digest {AS_UUID.hex[:8]}zz",
        "run 0f1e2d3c begins",
    ],
)
def test_nothing_else_is(text):
    assert without_own_names(text, OWN) == text


def test_durations_that_were_printed_are_taken_out():
    own = OwnNames(durations=frozenset({"0.30482029914855957"}))
    assert without_own_names("0.30482029914855957", own) == "#"
    assert without_own_names("took 0.30482029914855957 loss 0.30482029914855958", own) == (
        "took # loss 0.30482029914855958"
    )
    assert without_own_names("10.30482029914855957 x0.30482029914855957", own) == (
        "10.30482029914855957 x0.30482029914855957"
    )
    held = ["0.30482029914855957", "0.5", 7, "loss"]  # a short number is many things
    assert OwnNames.of(1, None, held) == OwnNames(1, durations=own.durations)


def test_words_that_were_drawn_letter_by_letter_are_taken_out():
    own = OwnNames(words=("bkdjfh",))
    text = "run bkdjfh: out/bkdjfh.pt, run_bkdjfh, xbkdjfh, bkdjfh2, 0.bkdjfh"
    assert without_own_names(text, own) == (
        "run #word 0#: out/#word 0#.pt, run_#word 0#, xbkdjfh, bkdjfh2, 0.bkdjfh"
    )
    assert OwnNames.of(None, None, None, ["bkdjfh", "cat", "3859", 7]) == own


def test_which_of_several_words_it_is_stays():
    own = OwnNames(words=("bkdjfh", "qrstlm"))
    assert without_own_names("best: qrstlm", own) == "best: #word 1#"
    assert without_own_names("best: bkdjfh", own) == "best: #word 0#"


def test_letters_that_were_drawn_one_at_a_time_spell_a_name():
    own = OwnNames(spelt="bkdjfhqrst38591")
    assert without_own_names("run bkdjfh, tag qrst3, loss 3859, bkdx", own) == (
        "run #letter 0#, tag #letter 6#, loss 3859, bkdx"
    )
    assert OwnNames.of(None, None, None, None, "bkdjfhqrst38591") == own
    assert OwnNames.of(None, None, None, None, ["b"]) == OwnNames()


def test_other_processes_keep_their_names_apart():
    own = OwnNames(4711, others={4712: "0.1", 4713: "0.2"})
    told = [without_own_names(f"{number} ends", own) for number in (4711, 4712, 4713, 4714)]
    assert told == ["# ends", "#0.1# ends", "#0.2# ends", "4714 ends"]
    assert without_own_names("loss 0.4712, 4713.5 rows, x4712", own) == (
        "loss 0.4712, 4713.5 rows, x4712"
    )


def test_what_a_manifest_should_not_hold_is_no_name():
    assert OwnNames.of("4711", "a0a1a2a3") == OwnNames()
    assert OwnNames.of(None, ["a0a1", 7, DRAWN.hex()]) == OwnNames(None, (DRAWN.hex(),))


@pytest.mark.parametrize(("bits", "shown"), [(25, "06x"), (24, "06x"), (32, "08x"), (61, "x")])
def test_a_number_of_the_system_in_hexadecimal_digits_is_a_name(bits, shown):
    size = (bits + 7) // 8
    drawn = bytes([0x05, 0xC3, 0x1B, 0x9A, 0x44, 0xE7, 0x60, 0x2D][:size])
    number = int.from_bytes(drawn, "big") >> (size * 8 - bits)  # as SystemRandom.getrandbits does
    own = OwnNames(4711, (drawn.hex(),))
    named = without_own_names(f"run shade-{number:{shown}} begins", own)
    assert named == "run shade-# begins"
    assert without_own_names(f"loss {number} 0.{number}", own) == f"loss {number} 0.{number}"


def test_a_number_of_16_bytes_that_the_system_gave_is_a_name():
    own = OwnNames(drawn=("0123456789abcdef0123456789abcdef",))
    number = int(own.drawn[0], 16)
    assert without_own_names(f'"seed": "{number}"', own) == '"seed": "#"'
    assert without_own_names(f'"seed": "{number + 1}"', own) == f'"seed": "{number + 1}"'
    assert without_own_names(f"0.{number}", own) == f"0.{number}"
