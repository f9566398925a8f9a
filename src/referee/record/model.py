"""The base of everything that is written to disk: frozen, closed, finite."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict

from referee.record.canonical import canonical_json, sha256_bytes


class Frozen(BaseModel):
    """A pydantic model that refuses unknown keys, coercion, NaN and change after creation."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", strict=True, allow_inf_nan=False, populate_by_name=True
    )

    def canonical(self) -> bytes:
        """Canonical JSON bytes of the model."""
        return canonical_json(self.as_json())

    def as_json(self) -> dict[str, Any]:
        """Plain JSON form (aliases kept)."""
        return self.model_dump(mode="json", by_alias=True)

    @property
    def digest(self) -> str:
        """SHA-256 of the canonical bytes."""
        return sha256_bytes(self.canonical())
