"""Runs the modules of the page in Node."""

import json
import shutil
import subprocess
from importlib.resources import files
from pathlib import Path

import pytest

JS = Path(str(files("atomlearn.explorer"))) / "js"

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="Node is not installed")


def run(body, data, folder):
    """What ``body``, the rest of a module that has ``data`` and prints JSON, prints."""
    (folder / "data.json").write_text(json.dumps(data), encoding="utf-8")
    (folder / "package.json").write_text('{"type": "module"}', encoding="utf-8")
    for module in JS.glob("*.js"):
        shutil.copy(module, folder)
    script = folder / "test.js"
    script.write_text(
        'import { readFileSync } from "node:fs";\n'
        'const data = JSON.parse(readFileSync("data.json", "utf-8"));\n' + body,
        encoding="utf-8",
    )
    done = subprocess.run(
        ["node", str(script)], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
