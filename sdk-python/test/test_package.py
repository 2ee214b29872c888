"""The package as its users get it: built offline, and installed into an empty environment."""

from __future__ import annotations

import inspect
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import unittest
import venv
import zipfile
from pathlib import Path
from typing import Any

import build_backend
from docex import Docex

PROGRAM = """
import docex, docex.webhooks
header = docex.webhooks.sign_payload("{}", "secret")
assert docex.webhooks.construct_event("{}", header, "secret") == {}
try:
    docex.Docex("rk_test_x", "http://127.0.0.1:9", max_retries=0).me.get()
except docex.ConnectionError:
    print(docex.__file__)
"""


class Package(unittest.TestCase):
    def test_wheel_and_source_distribution_install_offline(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            archive = build_backend.build_sdist(folder)
            with tarfile.open(Path(folder) / archive) as sources:
                # Older patches of Python 3.11 have no filters.
                filters: Any = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
                sources.extractall(folder, **filters)
            root = Path(folder) / archive.removesuffix(".tar.gz")
            build = "import build_backend, sys; print(build_backend.build_wheel(sys.argv[1]))"
            name = run([sys.executable, "-c", build, folder], root)
            self.assertEqual(name, build_backend.build_wheel(folder))

            environment = Path(folder) / "environment"
            venv.create(environment, with_pip=False)
            python = str(environment / "bin" / "python")
            where = "import sysconfig; print(sysconfig.get_paths()['purelib'])"
            # Installing a wheel of Python files alone is unpacking it.
            with zipfile.ZipFile(Path(folder) / name) as wheel:
                wheel.extractall(run([python, "-I", "-c", where], root))
                self.assertIn("docex/py.typed", wheel.namelist())
            self.assertIn(str(environment), run([python, "-I", "-c", PROGRAM], Path(folder)))

    def test_every_operation_has_a_method(self) -> None:
        operations: list[str] = json.loads(os.environ["DOCEX_TEST_OPERATIONS"])
        docex = Docex("rk_test_x", "http://127.0.0.1:9")
        own = {"documents.changes", "payments.changes", "events.follow"}
        self.assertEqual(set(methods_of(docex, "")) - own, set(operations))


def methods_of(resource: object, prefix: str) -> list[str]:
    names = [
        prefix + name
        for name, _ in inspect.getmembers(resource, inspect.ismethod)
        if not name.startswith("_")
    ]
    for name, below in vars(resource).items():
        if not name.startswith("_"):
            names += methods_of(below, f"{prefix}{name}.")
    return names


def run(command: list[str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()
