"""Collecting, checking and applying what an agent hands in."""

from referee.submission.apply import Applied, apply_patch, tree_reader
from referee.submission.gate import ChangedFile, RefusedAt, Submission, from_patch, from_workspace
from referee.submission.layer import write_layer
from referee.submission.overlay import collect_overlay
from referee.submission.policy import Policy
from referee.submission.predictions import read_predictions
from referee.submission.refusal import Reason, Refusal

__all__ = [
    "Applied",
    "ChangedFile",
    "Policy",
    "Reason",
    "Refusal",
    "RefusedAt",
    "Submission",
    "apply_patch",
    "collect_overlay",
    "from_patch",
    "from_workspace",
    "read_predictions",
    "tree_reader",
    "write_layer",
]
