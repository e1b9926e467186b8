"""Install the wheel and use it as other people's machines do. Needs root, to become another user.

    python tests/deployment.py

Each case fits, predicts and reads a model on the command line as a user who installed nothing:
read-only packages, no home folder, a compile cache that is full, damaged or cannot be written.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NOBODY = 65534
PYTHONS = (sys.executable, "/usr/bin/python3")
TABLE = "size,colour,kind\n" + "".join(
    f"{i},{'red' if i % 3 else 'blue'},{'big' if i > 20 else 'small'}\n" for i in range(40)
)
COMMANDS = (
    "fit table.csv --target kind -o kinds.atoms --max-epochs 5",
    "predict kinds.atoms table.csv",
    "show kinds.atoms",
)


def main() -> int:
    """Run every case; the exit code says whether all of them worked."""
    if os.geteuid() != 0:
        print("skipped: only root can run a command as another user")
        return 0
    base = Path(tempfile.mkdtemp(prefix="atomlearn-deployment-"))
    base.chmod(0o755)
    try:
        python = install(base)
        done = [case(base, python, name, *setup) for name, setup in CASES.items()]
    finally:
        shutil.rmtree(base, ignore_errors=True)
    print(f"{sum(done)} of {len(done)} deployments work")
    return 0 if all(done) else 1


def install(base: Path) -> Path:
    """A virtual environment with the wheel in it, which nobody can write to."""
    venv, wheels = base / "venv", base / "wheels"
    subprocess.run([readable_python(), "-m", "venv", str(venv)], check=True)
    pip = [str(venv / "bin/python"), "-m", "pip", "-q", "--disable-pip-version-check"]
    subprocess.run([*pip, "wheel", "--no-deps", "-w", str(wheels), str(ROOT)], check=True)
    wheel = next(wheels.glob("*.whl"))
    subprocess.run([*pip, "install", f"{wheel}[tables]", "pandas"], check=True)
    subprocess.run(["chmod", "-R", "a+rX,a-w", str(venv)], check=True)
    return venv / "bin/python"


def readable_python() -> str:
    """An interpreter that other users may run, too."""
    for python in PYTHONS:
        real = os.path.realpath(python)
        try:
            works = as_nobody([real, "-c", "import venv, ensurepip"], {}, "/").returncode == 0
        except OSError:
            continue
        if works:
            return real
    raise SystemExit("no Python here can be run by another user")


def case(
    base: Path, python: Path, name: str, environment: Mapping[str, str], damage: str, limit: int
) -> bool:
    """Run the commands in a folder of their own; twice if the cache is damaged in between."""
    home = Path(tempfile.mkdtemp(dir=base))
    (home / "table.csv").write_text(TABLE)
    for path in (home, home / "table.csv"):
        os.chown(path, NOBODY, NOBODY)
    variables = {key: value.replace("{home}", str(home)) for key, value in environment.items()}
    problem = run_commands(python, home, variables, limit)
    if damage and not problem:
        for path in home.rglob(damage):
            path.write_bytes(path.read_bytes()[:7])
        problem = run_commands(python, home, variables, limit)
    print(f"{'failed' if problem else 'works':7s} {name}{': ' if problem else ''}{problem}")
    return not problem


def run_commands(python: Path, home: Path, environment: Mapping[str, str], limit: int) -> str:
    """What went wrong, if anything did."""
    for command in COMMANDS:
        argv = [str(python), "-m", "atomlearn", *command.split()]
        if limit:
            argv = ["prlimit", f"--fsize={limit}", *argv]
        done = as_nobody(argv, environment, str(home))
        if done.returncode or "Traceback" in done.stderr:
            return f"{command}\n{done.stderr[-2000:]}"
        if done.stderr.count("NUMBA_CACHE_DIR") > 1:
            return f"{command}: more than one warning\n{done.stderr[-2000:]}"
    return ""


def as_nobody(
    argv: list[str], environment: Mapping[str, str], cwd: str
) -> subprocess.CompletedProcess[str]:
    """Run a command with no environment but what is given."""
    return subprocess.run(
        argv,
        env={"PATH": "/usr/bin:/bin", **environment},
        cwd=cwd,
        user=NOBODY,
        group=NOBODY,
        extra_groups=[],
        capture_output=True,
        text=True,
    )


CASES: dict[str, tuple[dict[str, str], str, int]] = {
    "another user, read-only packages, no home": ({}, "", 0),
    "a home folder": ({"HOME": "{home}"}, "", 0),
    "a home folder that does not exist": ({"HOME": "/nonexistent"}, "", 0),
    "a cache folder that does not exist": ({"NUMBA_CACHE_DIR": "/nonexistent/cache"}, "", 0),
    "a full disk but for the model": ({"NUMBA_CACHE_DIR": "{home}/cache"}, "", 8192),
    "a damaged cache index": ({"NUMBA_CACHE_DIR": "{home}/cache"}, "*.nbi", 0),
    "damaged cache data": ({"NUMBA_CACHE_DIR": "{home}/cache"}, "*.nbc", 0),
}

if __name__ == "__main__":
    sys.exit(main())
