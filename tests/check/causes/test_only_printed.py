"""A duration that is printed decides nothing; one that is stored, compared or returned may."""

from __future__ import annotations

import pytest

from samebits.check.causes.writing.only_printed import is_only_printed, only_tells_the_time

PRINTED = {
    "the duration of an epoch": """
        def train(loader):
            for epoch in range(3):
                start, total = time.time(), 0.0  # reads
                for x in loader:
                    total += x.sum()
                print(f"{epoch} {total} {time.time() - start:.1f} s")
            return total
    """,
    "on one line": "print(time.time())  # reads",
    "in a log": """
        begin = time.perf_counter()  # reads
        took = time.perf_counter() - begin
        minutes = took / 60
        logger.info("%s", minutes)
    """,
    "kept to be shown": """
        depths = []
        for batch in batches:
            depth = jobs.qsize()  # reads
            depths.append(depth)
        writer.add_scalar("depth", sum(depths) / len(depths))
    """,
    "beside functions that do not read it": """
        t = time.time()  # reads
        print(t)
        def other(x):
            return x.numpy()
        class Net:
            pass
    """,
}
USED = {
    "compared": """
        start = time.time()  # reads
        while time.time() - start < 3:
            step()
    """,
    "an attribute": "self.start = time.time()  # reads",
    "in a container": "times[0] = time.time()  # reads",
    "in a list that is used": """
        def seconds():
            took = []
            took.append(time.time())  # reads
            print(took)
            return took
    """,
    "in a list of an object": """
        self.took.append(time.time())  # reads
        print(self.took)
    """,
    "returned": """
        def seconds():
            now = time.time()  # reads
            return now
    """,
    "handed on": """
        now = time.time()  # reads
        late = now - 3
        model.update(late)
    """,
    "read by a function": """
        now = time.time()  # reads
        print(now)
        def rate():
            return 1 / now
    """,
    "never looked at": "now = time.time()  # reads",
    "a seed": "torch.manual_seed(int(time.time()))  # reads",
    "added to": """
        now = time.time()  # reads
        total += now
        loss = total * 2
        loss.backward()
    """,
}


TOLD = {
    "a folder's name": 'folder = out / f"{datetime.now():%Y-%m-%d}"  # reads',
    "under a name of a time": """
        rows.append({"loss": loss, "seconds": round(time.time() - began, 2)})  # reads
    """,
    "a beginning": """
        began = time.perf_counter()  # reads
        train()
        summary = {"best": best, "seconds": round(time.perf_counter() - began, 2)}
        path.write_text(json.dumps(summary))
    """,
    "an argument": "report(loss=loss, elapsed=time.time() - began)  # reads",
    "by a function": 'run = args.runs / time.strftime("%Y-%m-%d_%H%M%S")  # reads',
    "by a method": 'name = datetime.now().strftime("%H%M")  # reads',
}
NOT_TOLD = {
    "under another name": 'row = {"seed": int(time.time())}  # reads',
    "beside the text": 'folder = f"{time.time()}" if time.time() % 2 else "run"  # reads',
    "compared later": """
        began = time.time()  # reads
        row = {"seconds": time.time() - began}
        if time.time() - began > 3:
            stop()
    """,
}


def reads(folder, source):
    path = folder / "script.py"
    lines = [line.removeprefix("        ") for line in source.strip("\n").splitlines()]
    path.write_text("\n".join(lines) + "\n")
    (number,) = (n for n, line in enumerate(lines, 1) if line.endswith("# reads"))
    return str(path), number


@pytest.mark.parametrize("source", PRINTED.values(), ids=PRINTED)
def test_what_goes_into_printed_text_alone(tmp_path, source):
    assert is_only_printed(*reads(tmp_path, source))


@pytest.mark.parametrize("source", USED.values(), ids=USED)
def test_what_may_decide_something(tmp_path, source):
    assert not is_only_printed(*reads(tmp_path, source))


@pytest.mark.parametrize("source", [*TOLD.values(), *PRINTED.values()], ids=[*TOLD, *PRINTED])
def test_what_tells_the_time_alone(tmp_path, source):
    assert only_tells_the_time(*reads(tmp_path, source))


@pytest.mark.parametrize("source", TOLD.values(), ids=TOLD)
def test_what_is_told_is_not_only_printed(tmp_path, source):
    assert not is_only_printed(*reads(tmp_path, source))


@pytest.mark.parametrize("source", NOT_TOLD.values(), ids=NOT_TOLD)
def test_what_may_use_the_time(tmp_path, source):
    assert not only_tells_the_time(*reads(tmp_path, source))


def test_a_file_that_is_gone_tells_nothing():
    assert not is_only_printed("/no/such/file.py", 3)
    assert not is_only_printed(None, None)
