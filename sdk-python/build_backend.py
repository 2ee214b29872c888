"""Builds the wheel and the source distribution (PEP 517) with the standard library alone."""

from __future__ import annotations

import base64
import hashlib
import io
import tarfile
import tomllib
import zipfile
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
SOURCES = ["pyproject.toml", "build_backend.py", "README.md"]

#: Equal sources make equal archives.
TIME = (1980, 1, 1, 0, 0, 0)


def get_requires_for_build_wheel(config_settings: Any = None) -> list[str]:
    return []


def get_requires_for_build_sdist(config_settings: Any = None) -> list[str]:
    return []


def build_wheel(
    wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None
) -> str:
    information = f"docex-{_version()}.dist-info"
    files = _package() | {
        f"{information}/METADATA": _metadata(),
        f"{information}/WHEEL": b"Wheel-Version: 1.0\nGenerator: docex\n"
        b"Root-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = f"{information}/RECORD"
    lines = [f"{path},sha256={_digest(content)},{len(content)}" for path, content in files.items()]
    files[record] = "\n".join([*lines, f"{record},,", ""]).encode()
    name = f"docex-{_version()}-py3-none-any.whl"
    with zipfile.ZipFile(Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, content in files.items():
            member = zipfile.ZipInfo(path, TIME)
            member.external_attr = 0o644 << 16
            member.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(member, content)
    return name


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    root = f"docex-{_version()}"
    files = {path: (FOLDER / path).read_bytes() for path in SOURCES} | _package()
    files["PKG-INFO"] = _metadata()
    name = f"{root}.tar.gz"
    with tarfile.open(Path(sdist_directory) / name, "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for path, content in files.items():
            member = tarfile.TarInfo(f"{root}/{path}")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return name


def _package() -> dict[str, bytes]:
    paths = sorted([*FOLDER.glob("docex/*.py"), FOLDER / "docex" / "py.typed"])
    return {f"docex/{path.name}": path.read_bytes() for path in paths}


def _version() -> str:
    values: dict[str, str] = {}
    exec((FOLDER / "docex" / "_version.py").read_text("utf-8"), values)  # noqa: S102
    return values["VERSION"]


def _metadata() -> bytes:
    project = tomllib.loads((FOLDER / "pyproject.toml").read_text("utf-8"))["project"]
    readme = (FOLDER / "README.md").read_text("utf-8")
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {project['name']}",
        f"Version: {_version()}",
        f"Summary: {project['description']}",
        f"License-Expression: {project['license']}",
        f"Requires-Python: {project['requires-python']}",
        "Description-Content-Type: text/markdown",
    ]
    return "\n".join([*lines, "", readme]).encode()


def _digest(content: bytes) -> str:
    digest = hashlib.sha256(content).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
