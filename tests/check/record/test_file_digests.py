"""Files of other processes are told apart by what they hold, not by how it is packed."""

from __future__ import annotations

import pickle
import time
import zipfile
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from samebits.check.record.processes.file_digests import digest_of
from samebits.core.catalog.own_names import OwnNames
from samebits.training.checkpoint.manifest import SCHEMA, seal


def torch_file(path: Path, value: float = 1.0, beside: str = "x") -> Path:
    torch.save({"w": torch.full((3,), value), "note": beside}, path)
    return path


def test_an_archive_of_torch_is_its_tensors_under_any_name(tmp_path):
    one, two = torch_file(tmp_path / "a.pt"), torch_file(tmp_path / "other.bin")
    assert one.read_bytes() != two.read_bytes()
    assert digest_of(one) == digest_of(two)
    assert digest_of(one).kind == "tensors"
    other = digest_of(torch_file(tmp_path / "c.pt", value=2.0))
    assert other.digest != digest_of(one).digest
    dated = digest_of(torch_file(tmp_path / "d.pt", beside="y"))
    assert dated.digest == digest_of(one).digest
    assert dated.beside != digest_of(one).beside


def test_lines_of_numbers_and_pickles_are_kept_where_asked_for(tmp_path):
    np.save(tmp_path / "a.npy", np.array([0.25, 2.5]))
    np.savez(tmp_path / "b.npz", times=np.array([0.25]), of=np.array(["x"], dtype=object))
    (tmp_path / "c.pkl").write_bytes(pickle.dumps({"took": 0.25}) * 2)
    kept = [digest_of(path, keep_text=True).lines for path in sorted(tmp_path.iterdir())]
    assert kept[0] == (" float64 (2,)", "0.25", "2.5")
    assert kept[1] == ()  # its objects would have to be unpickled
    assert kept[2].count("BINFLOAT 0.25") == 2
    np.savez_compressed(tmp_path / "d.npz", zeros=np.zeros(100_000))
    assert (tmp_path / "d.npz").stat().st_size < 2000
    assert digest_of(tmp_path / "d.npz", keep_text=True).lines == ()  # packed small, and many
    for name in ("loss", "rate"):
        np.savez(tmp_path / f"{name}.npz", **{name: np.array([0.25])})
    named = [digest_of(tmp_path / f"{name}.npz", keep_text=True) for name in ("loss", "rate")]
    assert named[0].lines[0] == "loss.npy float64 (1,)"
    assert named[0].lines != named[1].lines
    assert not any(digest_of(path).lines for path in tmp_path.iterdir())


def test_arrays_of_numpy(tmp_path):
    def saved(name, number, save=np.savez):
        save(tmp_path / name, w=np.arange(number))
        return digest_of(tmp_path / name)

    assert saved("a.npz", 3) == saved("b.npz", 3) == saved("c.npz", 3, np.savez_compressed)
    assert saved("a.npz", 3) != saved("b.npz", 4)
    np.save(tmp_path / "a.npy", np.arange(3))
    assert digest_of(tmp_path / "a.npy").kind == "tensors"
    np.save(tmp_path / "o.npy", np.array([{}], dtype=object))
    np.savez(tmp_path / "o.npz", o=np.array([{}], dtype=object))
    assert {digest_of(tmp_path / name).kind for name in ("o.npy", "o.npz")} == {"bytes"}


def test_a_text_has_a_second_digest_without_the_number_of_its_process(tmp_path):
    def told(text):
        path = tmp_path / "train.log"
        path.write_text(text)
        return digest_of(path, own=OwnNames(4711))

    logged = [told(f"{number} loss 0.5") for number in ("4711", "[4711]", "#")]
    assert logged[0].anonymous == logged[2].digest
    assert logged[1].anonymous not in ("", logged[2].digest)
    assert logged[2].anonymous == ""
    assert logged[0].digest != logged[2].digest
    for inside_of_another in ("47110 rows", "x4711", "0.4711", "4711.5"):
        assert told(inside_of_another).anonymous == ""


def test_lines_of_several_processes_have_it_in_any_order(tmp_path):
    def told(*lines):
        path = tmp_path / "train.log"
        path.write_text("\n".join(lines))
        own = OwnNames(others={4711: "", 90: ""})
        return digest_of(path, any_order=True, own=own).anonymous

    assert told("4711 loss 0.5", "90 loss 0.7") == told("90 loss 0.5", "4711 loss 0.7") != ""
    assert told("4711 loss 0.5", "90 loss 0.7") != told("90 loss 0.5", "4711 loss 0.8")


def test_safetensors(tmp_path):
    def saved(value, **metadata):
        save_file({"w": torch.full((2,), value)}, tmp_path / "a.safetensors", metadata or None)
        return digest_of(tmp_path / "a.safetensors")

    assert saved(1.0).kind == "tensors"
    assert saved(1.0) != saved(2.0)
    assert saved(1.0, date="1").digest == saved(1.0, date="2").digest
    assert saved(1.0, date="1").beside != saved(1.0, date="2").beside


def test_text_counts_without_times_from_where_the_run_began(tmp_path):
    def written(text):
        (tmp_path / "log").write_text(text)
        return tmp_path / "log"

    first = digest_of(written("epoch 1 loss 0.5 3.2s\n"))
    assert first.kind == "text"
    assert digest_of(written("epoch 1 loss 0.5 11.9s\n")) == first
    assert digest_of(written("epoch 1 loss 0.6 3.2s\n")) != first
    assert digest_of(written("earlier\nepoch 1 loss 0.5 9s\n"), begin=8) == first
    mixed = [digest_of(written(text), any_order=True) for text in ("a\nb\n", "b\na\n")]
    assert mixed[0] == mixed[1]


def test_a_checkpoint_of_ours_counts_without_its_date_and_the_digest_that_covers_it(tmp_path):
    one, later, other = (tmp_path / name for name in ("one.json", "later.json", "other.json"))
    for path, second, step in ((one, 7, 15), (later, 8, 15), (other, 7, 16)):
        content = {"step": step, "created": f"2026-01-02T03:04:0{second}+00:00"}
        path.write_bytes(seal(content, SCHEMA))
    assert digest_of(one) == digest_of(later) != digest_of(other)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x80\x04\x95\x00.",
        b"PK\x03\x04 and then nothing",
        b"\x93NUMPY",
        (50).to_bytes(8, "little") + b"{" * 60,
        (2**62).to_bytes(8, "little") + b"{}",
    ],
)
def test_what_only_looks_like_something_is_read_as_it_is(tmp_path, content):
    (tmp_path / "a").write_bytes(content)
    assert digest_of(tmp_path / "a").digest
    with zipfile.ZipFile(tmp_path / "z", "w") as archive:
        archive.writestr("data.pkl", content)
    assert digest_of(tmp_path / "z").kind == "bytes"


def test_strings_beside_tensors_count_as_printed_lines_do(tmp_path):
    def beside(**more):
        path = tmp_path / "c.pt"
        torch.save({"w": torch.ones(3), **more}, path)
        found = digest_of(path)
        assert found.kind == "tensors"
        return found.beside

    folder = "lightning_logs/version_{}/checkpoints"
    assert beside(best=folder.format(0)) == beside(best=folder.format(1))
    assert beside(log="took 3.1s") == beside(log="took 12.9s")
    for one, other in (
        ({"loss": 0.5}, {"loss": 0.25}),
        ({"epoch": 1}, {"epoch": 2}),
        ({"best": "epoch=1.ckpt"}, {"best": "epoch=2.ckpt"}),
        ({"log": "loss 0.5"}, {"log": "loss 0.25"}),
        ({"order": ["a", "b"]}, {"order": ["b", "a"]}),
        ({"state": b"took 3.1s"}, {"state": b"took 12.9s"}),
        ({"took 3.1s": 1}, {"loss 3.1": 1}),
    ):
        assert beside(**one) != beside(**other)


def test_a_row_that_is_added_to_a_table_has_the_names_of_its_columns(tmp_path):
    def table(name, *rows, begin=0):
        path = tmp_path / name
        path.write_text("started,seconds,accuracy\n" + "".join(f"{row}\n" for row in rows))
        return digest_of(path, begin=begin)

    first = "2026-11-26T08:01:36,3.505,0.875"
    new = table("new.csv", first)
    size = (tmp_path / "new.csv").stat().st_size
    added = table("more.csv", first, "2026-11-26T09:10:00,5.25,0.875", begin=size)
    again = table("again.csv", first, "2026-11-27T09:10:00,4.0,0.875", begin=size)
    other = table("other.csv", first, "2026-11-27T09:10:00,4.0,0.9", begin=size)
    assert added.digest == again.digest != other.digest
    assert new.rows == added.rows == again.rows != other.rows
    assert new.digest != added.digest


def test_each_run_may_name_the_columns_once_more(tmp_path):
    header = "epoch,time,loss\n"
    path = tmp_path / "log.csv"
    path.write_text(f"{header}1,0.25,0.5\n{header}1,0.75,0.5\n")
    both = path.read_text()
    added = digest_of(path, begin=len(both) // 2)
    path.write_text(both[: len(both) // 2])
    new = digest_of(path)
    assert (added.digest, added.rows) == (new.digest, new.rows)


def test_lines_that_name_columns_in_the_midst_of_what_is_added_count(tmp_path):
    header = "epoch,loss\n"
    path = tmp_path / "log.csv"
    path.write_text(f"{header}1,0.5\n{header}2,0.5\n")
    one = digest_of(path)
    path.write_text(f"{header}1,0.5\n2,0.5\n")
    assert digest_of(path).rows != one.rows


def test_a_list_of_words_is_no_table(tmp_path):
    """Its first line is one of them: "cat,tabby" may stand for a picture."""
    path = tmp_path / "labels.csv"
    path.write_text("cat,tabby\ncat,tabby\ndog,poodle\n")
    assert digest_of(path).rows == ""
    assert digest_of(path, begin=10).rows == ""


def test_what_may_name_the_run_is_left_out_of_a_third_digest(tmp_path):
    def told(text):
        path = tmp_path / "index.jsonl"
        path.write_text(text)
        return digest_of(path)

    one, other = told('{"name": "eager-lagoon-159"}'), told('{"name": "icy-dune-143"}')
    assert one.digest != other.digest
    assert one.unnamed == other.unnamed != ""
    assert told('{"loss": 0.5}').unnamed == ""
    # A choice out of some names is no name of a run, but with the time at which it was written.
    assert one.unstamped == ""
    now = time.strftime("%m%d-%H%M%S")
    stamped = [told(f'{{"name": "{word}-{now}"}}') for word in ("lagoon", "dune")]
    assert stamped[0].unstamped == stamped[1].unstamped != ""
    assert told('{"held_out": "scan-1004-3302"}').unstamped == ""


def test_what_is_added_to_another_text_has_none(tmp_path):
    path = tmp_path / "log.jsonl"
    path.write_text('{"loss": 1, "seconds": 2}\n{"loss": 2, "seconds": 3}\n')
    assert digest_of(path, begin=26).rows == ""
    assert digest_of(path).rows == ""
