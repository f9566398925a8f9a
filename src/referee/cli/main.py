"""The command `referee`: parsing, printing and exit codes; the work is done in the rooms below.

Exit codes: 0 done; 1 the answer is no (a check failed, an audit found something); 2 bad input;
3 the machine failed and something was withheld; 70 a defect of referee itself; 130 interrupted.
"""

from __future__ import annotations

import os
import sys
import threading
import traceback
from typing import Annotated

import typer

from referee import __version__
from referee.cli import (
    agent,
    audit,
    compare,
    data,
    diagnose,
    doctor,
    env,
    grade,
    import_published,
    index,
    judge,
    model,
    regrade,
    report,
    run,
    samples,
    status,
    suite,
    table,
    task,
    view,
)
from referee.cli.interrupt import EXIT_CODE as INTERRUPTED
from referee.cli.interrupt import HINT as INTERRUPTED_HINT
from referee.cli.interrupt import RunInterrupted, replace_process, take_sigterm_as_interrupt

_FREE_SPACE = "free some space (`referee env prune` may help) and run the same command again"

app = typer.Typer(
    name="referee",
    help="Decides whether a scientific coding agent really did the science.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.command("run")(run.run)
app.command("grade")(grade.grade)
app.command("regrade")(regrade.regrade)
app.command("status")(status.status)
app.command("table")(table.table)
app.command("compare")(compare.compare)
app.command("report")(report.report)
app.command("view")(view.view)
app.command("samples")(samples.samples)
app.command("audit")(audit.audit)
app.command("diagnose")(diagnose.diagnose)
app.command("index")(index.index)
app.command("doctor")(doctor.doctor)
app.add_typer(agent.app, name="agent")
app.add_typer(model.app, name="model")
app.add_typer(judge.app, name="judge")
app.add_typer(suite.app, name="suite")
app.add_typer(task.app, name="task")
app.add_typer(env.app, name="env")
app.add_typer(data.app, name="data")
app.add_typer(import_published.app, name="import")


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"referee {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Print it and end."),
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks.")] = False,
) -> None:
    """Options that stand before a command."""


def main() -> None:
    """Run the command line and end the process with its exit code."""
    take_sigterm_as_interrupt()
    code = run_command(sys.argv[1:])
    if code == INTERRUPTED or threading.active_count() > 1:
        # Work in other threads is not waited for: its sandboxes end with this process.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


def run_command(arguments: list[str]) -> int:
    """Run one command line and return its exit code; faults become one sentence on stderr."""
    try:
        code = app(args=arguments, prog_name="referee", standalone_mode=False)
    except BaseException as error:
        if "--debug" in arguments[:1]:
            traceback.print_exc()
        return _exit_code(error)
    if code == INTERRUPTED:
        return _say(INTERRUPTED_HINT, INTERRUPTED)
    return code if isinstance(code, int) else 0


def _exit_code(error: BaseException) -> int:
    from referee.record.fault import BadInput, Infrastructure

    if isinstance(error, RunInterrupted):
        replace_process(error.run)
    if isinstance(error, SystemExit):
        return error.code if isinstance(error.code, int) else 1
    if isinstance(error, BadInput):
        return _say(str(error), 2)
    if isinstance(error, Infrastructure) and error.reason == "disk_full":
        return _say(f"{error.detail}; {_FREE_SPACE}", 2)
    if isinstance(error, Infrastructure):
        return _say(f"this machine failed: {error}", 3)
    if isinstance(error, (KeyboardInterrupt, typer.Abort)):
        return _say(INTERRUPTED_HINT, INTERRUPTED)
    if hasattr(error, "format_message") and hasattr(error, "exit_code"):
        return _usage(error)
    if isinstance(error, OSError):
        return _say(_os_sentence(error), 2)
    what = f"{type(error).__name__}: {error}".splitlines()[0]
    return _say(f"a defect of referee ({what}); `referee --debug ...` shows where", 70)


def _usage(error: BaseException) -> int:
    """A command line that cannot be read: its help if nothing was asked for, else one sentence."""
    message = str(error.format_message())  # type: ignore[attr-defined]
    if message.startswith("Usage:"):
        typer.echo(message)
        return 2
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "referee"
    return _say(f"{message.rstrip('.')}; see `{command} --help`", 2)


def _os_sentence(error: OSError) -> str:
    import errno

    where = f"{error.filename}: " if error.filename else ""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"{where}no space left on the disk; {_FREE_SPACE}"
    return f"{where}{error.strerror or error}"


def _say(sentence: str, code: int) -> int:
    typer.echo(f"referee: {sentence}", err=True)
    return code
