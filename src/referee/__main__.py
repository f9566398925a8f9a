"""`python -m referee` is the command `referee`."""

from referee.cli.main import main

main()
