"""A container taken apart, to be changed and put together again with checksums that are right."""

import io
import json
import zipfile
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

MANIFEST = "manifest.json"


@dataclass(frozen=True)
class Parts:
    """The members as bytes; the manifest lists those that are there, unless it says otherwise."""

    manifest: dict[str, Any]
    members: dict[str, bytes] = field(default_factory=dict)

    @classmethod
    def of(cls, data: bytes) -> "Parts":
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = {name: archive.read(name) for name in archive.namelist()}
        manifest = json.loads(members.pop(MANIFEST))
        del manifest["members"]
        return cls(manifest, members)

    def json(self, name: str) -> Any:
        return json.loads(self.members[name])

    def array(self, name: str) -> np.ndarray:
        return np.load(io.BytesIO(self.members[name]), allow_pickle=False)

    def put(self, name: str, value: Any) -> "Parts":
        """With another member: an array, bytes as they are, or anything else as JSON."""
        if isinstance(value, np.ndarray):
            value = npy(value)
        elif not isinstance(value, bytes):
            value = json.dumps(value).encode()
        return replace(self, members={**self.members, name: value})

    def edit(self, name: str, **fields: Any) -> "Parts":
        """With other fields in a member that is an object in JSON."""
        return self.put(name, {**self.json(name), **fields})

    def drop(self, name: str) -> "Parts":
        return replace(self, members={k: v for k, v in self.members.items() if k != name})

    def say(self, **manifest: Any) -> "Parts":
        """With other fields in the manifest."""
        return replace(self, manifest={**self.manifest, **manifest})

    def packed(self, compression: int = zipfile.ZIP_DEFLATED, level: int = 6) -> bytes:
        manifest = {"members": sorted(self.members), **self.manifest}
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", compression, compresslevel=level) as archive:
            archive.writestr(MANIFEST, json.dumps(manifest))
            for name, data in self.members.items():
                archive.writestr(name, data)
        return file.getvalue()


def npy(array: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.lib.format.write_array(file, array, version=(1, 0), allow_pickle=True)
    return file.getvalue()


def npy_with_header(text: str, content: bytes = b"") -> bytes:
    """An array whose header is any text at all."""
    raw = text.encode("latin1") + b"\n"
    return b"\x93NUMPY\x01\x00" + len(raw).to_bytes(2, "little") + raw + content
