"""Not written yet."""

raise SystemExit("there is no reproduction yet")
