"""The stock sqlite3 shell with the extension loaded, as the golden files and
the documents use it."""
import os
import re
import shutil
import subprocess
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
NEAR_LINE = re.compile(r"^((?:Parse|Runtime) error) near line \d+:", re.M)
# How newer versions of SQLite say 'no such column: D' of "D".
STRING_HINT = re.compile(r'no such column: "([^"\n]*)" - should this be a string literal in single-quotes\?')


def add_options(parser):
    parser.add_argument("--ext", required=True, help="path of the built extension")
    parser.add_argument("--shell", default="sqlite3", help="the sqlite3 shell")
    parser.add_argument("--preload", default="", help="libraries to put in front of the shell's own")
    parser.add_argument("--wrap", default="", help="a command to run the shell under, e.g. valgrind")


def clean(text):
    """The shell's output without what differs between runs or versions of SQLite."""
    text = STRING_HINT.sub(r"no such column: \1", NEAR_LINE.sub(r"\1:", text))
    return "\n".join(line.rstrip() for line in text.rstrip().split("\n")) + "\n"


class Folder:
    """A folder of its own for one script: relative paths find the extension
    and testdata as in the root of the repository, and what the script writes
    goes away with it."""

    def __init__(self, ext):
        self.ext = os.path.abspath(ext)
        self.path = None

    def __enter__(self):
        self.path = tempfile.mkdtemp(prefix="autocdc-")
        os.symlink(self.ext, os.path.join(self.path, os.path.basename(self.ext)))
        for name in ("testdata", "sql", "docs"):
            os.symlink(os.path.join(ROOT, name), os.path.join(self.path, name))
        return self

    def __exit__(self, *ignored):
        shutil.rmtree(self.path, ignore_errors=True)


def command(options, *more):
    return options.wrap.split() + [options.shell, "-batch", "-init", os.devnull] + list(more)


def environment(options):
    env = dict(os.environ)
    if options.preload:
        env["LD_PRELOAD"] = options.preload
    return env


def run(options, script, folder, seconds=120):
    """Feeds a script to a shell on a database in memory.  Returns the exit
    status and what it printed, errors in their place."""
    done = subprocess.run(
        command(options, "-cmd", ".load ./" + os.path.basename(folder.ext), ":memory:"),
        input=script.encode(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        cwd=folder.path, env=environment(options), timeout=seconds)
    return done.returncode, done.stdout.decode("utf-8", "replace")
