"""Memory and files that fail, by faults.c."""
import os
import subprocess

from common import Failed, Folder, Skipped, check

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SLOW = ("spill", "spill_scd2")


def words(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()


def built(o, at):
    """The harness, with libautocdc.a in it; with what that one was compiled with."""
    if not os.path.exists(o.static):
        raise Skipped("no " + o.static + ": make static")
    cc = os.environ.get("CC", "cc")
    with open(o.static, "rb") as file:
        asan = b"__asan_init" in file.read()
    more = ["-fsanitize=address,undefined"] if asan else []
    link = [o.libsqlite3, "-Wl,-rpath," + os.path.dirname(os.path.abspath(o.libsqlite3))] if o.libsqlite3 else \
        words("pkg-config", "--libs", "sqlite3")
    env = {k: v for k, v in os.environ.items() if k not in ("LD_PRELOAD", "AUTOCDC_TRANS_LIB")}
    program = at("faults")
    done = subprocess.run([cc, "-std=c99", "-g", "-O1", "-Wall", "-Wextra", "-DSQLITE_CORE"] + more +
                          ["-I" + os.path.join(ROOT, "include"), "-o", program, os.path.join(HERE, "faults.c"), o.static]
                          + link + words("pkg-config", "--libs", "libcjson", "libpcre2-8") + ["-lm"],
                          capture_output=True, text=True, env=env)
    if done.returncode:
        raise Failed("faults.c does not compile: " + done.stderr[:2000])
    return program, env


def each(o, what):
    with Folder() as at:
        program, env = built(o, at)
        env["ASAN_OPTIONS"] = "detect_leaks=1"
        names = subprocess.run([program, "list"], capture_output=True, text=True, env=env).stdout.split()
        bad = []
        for name in names:
            step = "211" if name in SLOW else "1" if o.full else "0"
            done = subprocess.run([program, what, name, step, at.temp.name], capture_output=True, text=True, env=env)
            if done.returncode:
                bad.append("%s: status %d: %s" % (name, done.returncode, (done.stdout + done.stderr)[-3000:]))
        check(len(names) > 10, "no scenarios")
        check(not bad, "\n".join(bad))


def test_memory(o):
    each(o, "memory")


def test_files(o):
    each(o, "file")
