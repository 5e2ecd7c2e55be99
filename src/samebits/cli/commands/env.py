"""`samebits env`: capture, compare, check and lock what bits can depend on."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from samebits.errors import UsageError

if TYPE_CHECKING:
    from samebits.environment import Comparison

STDOUT = "-"

JsonOutput = Annotated[
    bool, typer.Option("--json", help="Print JSON instead of text.", show_default=False)
]
Only = Annotated[
    str,
    typer.Option(
        metavar="GROUP,...",
        show_default=False,
        help="Compare these groups alone: hardware, system, python, torch, threads, packages, "
        "variables, code, files.",
    ),
]


def capture(
    script: Annotated[
        Path | None,
        typer.Argument(
            metavar="[SCRIPT]", show_default=False, help="Also record the digest of this script."
        ),
    ] = None,
    out: Annotated[
        str,
        typer.Option("-o", "--out", metavar="FILE", help="Where to write; '-' prints."),
    ] = STDOUT,
    data: Annotated[
        list[Path] | None,
        typer.Option(
            "--data", metavar="FILE", show_default=False, help="A data file to take the digest of."
        ),
    ] = None,
) -> None:
    """Write down everything that bits can depend on, as JSON.

    Processor, threads, BLAS, GPUs, driver, torch's build, every installed package with a digest of
    its files, Python, the C library, the variables that change results (none else is looked at, and
    what looks like a secret is masked), the commit, and the digests of script and data.

    Exit code: 0 written, 2 a file cannot be read or written.
    """
    from samebits.check.report.environment_json import write_environment
    from samebits.environment import capture as captured

    write_environment(captured(script=script, files=data or ()), out)


def diff(
    a: Annotated[
        Path,
        typer.Argument(
            metavar="A", show_default=False, help="An environment file, or a recorded run folder."
        ),
    ],
    b: Annotated[
        Path, typer.Argument(metavar="B", show_default=False, help="The one to compare it with.")
    ],
    only: Only = "",
    as_json: JsonOutput = False,
) -> None:
    """Say how two environments differ, what each difference can do to results, and what to do.

    Exit code: 0 nothing that can change bits, 1 bits can change, 2 a file cannot be read.
    """
    from samebits.environment import Environment, compare_environments

    comparison = compare_environments(Environment.read(a), Environment.read(b), only=_groups(only))
    _show(comparison, (str(a), str(b)), as_json=as_json)


def check(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            show_default=False,
            help="An environment file, or a recorded run folder.",
        ),
    ],
    only: Only = "",
    as_json: JsonOutput = False,
) -> None:
    """Say whether this machine matches an environment that was captured before.

    The commit and the data files are compared where the file names them.

    Exit code: 0 nothing that can change bits, 1 bits can change, 2 the file cannot be read.
    """
    from samebits.environment import Environment, capture, compare_environments

    groups = _groups(only)
    wanted = Environment.read(file)
    here = capture(files=[path for path in map(Path, wanted.files) if path.is_file()])
    comparison = compare_environments(wanted, here, only=groups)
    _show(comparison, (str(file), "this machine"), as_json=as_json)


def lock(
    command: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[SCRIPT [ARGS]...]", show_default=False, help="What the container runs."
        ),
    ] = None,
    out: Annotated[
        Path, typer.Option("-o", "--out", metavar="DIR", help="Where the files go.")
    ] = Path("reproduce"),
    base: Annotated[
        str | None,
        typer.Option(
            metavar="IMAGE",
            show_default=False,
            help="The image to start from, best with its digest: python:3.12-slim@sha256:...",
        ),
    ] = None,
    skip: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", show_default=False, help="A package to leave out."),
    ] = None,
    verify: Annotated[
        bool,
        typer.Option(
            "--verify",
            help="Then install the lock into a fresh virtual environment and compare.",
        ),
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace files that are there.")] = False,
) -> None:
    """Write what brings this environment back: a lock with hashes, a Dockerfile, instructions.

    In DIR: requirements.lock, Dockerfile, REPRODUCING.md (a section for a README) and
    environment.json (for samebits env check). pip is asked for the hashes, with its own settings.
    What no index has (installed from a folder or a repository, and samebits itself) is left out and
    named.

    Exit code: 0 written (and, with --verify, matching), 1 the fresh environment differs, 2 a
    package is in no index, or a file cannot be written.
    """
    from samebits.environment.lock import write_lock
    from samebits.environment.packages import normalised

    words = command or []
    script = Path(words[0]) if words else None
    locked = write_lock(
        out,
        command=words,
        script=script,
        base=base,
        skip={normalised(name) for name in skip or ()},
        force=force,
    )
    _say(f"locked {len(locked.requirements)} packages in {out}")
    if locked.left_out:
        names = ", ".join(locked.left_out)
        _say(f"not in the lock: {names}; {out / 'REPRODUCING.md'} says where they come from")
    if verify:
        _verify(out)


def _verify(folder: Path) -> None:
    from samebits.environment.verification import verify_lock

    found = verify_lock(folder, _say)
    for mismatch in found:
        have = mismatch.found if mismatch.found is not None else "nothing"
        _say(f"{mismatch.package}: {mismatch.what} {mismatch.locked} locked, {have} installed")
    if found:
        raise typer.Exit(1)
    _say("the fresh environment matches the lock")


def _groups(only: str) -> list[str]:
    """The groups of `--only`, checked."""
    from samebits.environment.comparison import GROUPS

    names = [name.strip() for name in only.split(",") if name.strip()]
    unknown = [name for name in names if name not in GROUPS]
    if unknown:
        raise UsageError(
            f"--only: there is no group {unknown[0]!r}", hint=f"The groups: {', '.join(GROUPS)}."
        )
    return names


def _show(comparison: Comparison, names: tuple[str, str], *, as_json: bool) -> None:
    from samebits.check.report.environment_json import print_comparison_json
    from samebits.check.report.environment_text import print_comparison

    if as_json:
        print_comparison_json(comparison)
    else:
        print_comparison(comparison, names=names, stream=sys.stdout)
    raise typer.Exit(1 if comparison.bits_can_change else 0)


def _say(text: str) -> None:
    from samebits.check.report.output_stream import write_text
    from samebits.check.report.printable import printable_text

    write_text(f"samebits: {printable_text(text)}\n", sys.stderr)


env = typer.Typer(no_args_is_help=True, rich_markup_mode="rich")
"""The group of commands; `cli.app` gives each its docstring as help."""
COMMANDS = (capture, diff, check, lock)
