"""All fixtures: importing this fills the registry."""

import repro_delivery  # noqa: F401
import repro_judging  # noqa: F401
import repro_parsing  # noqa: F401
import repro_replays  # noqa: F401
import repro_science  # noqa: F401
import repro_stored  # noqa: F401
import repro_units  # noqa: F401
