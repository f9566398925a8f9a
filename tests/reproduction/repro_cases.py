"""All fixtures: importing this fills the registry."""

import repro_delivery  # noqa: F401
