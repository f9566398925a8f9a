"""From frozen evidence to the scores of a rubric's leaves."""
