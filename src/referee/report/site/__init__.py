"""The static site of one or more runs: pages that need no network, and no server either."""
