"""The wall: private tests look at candidate code from the other side of a pipe."""

from referee.wall.api import (
    CandidateDied,
    CandidateError,
    CandidateFailure,
    CandidateProtocol,
    CandidateResource,
    CandidateTimeout,
    CommandResult,
    contract,
    probe,
)

__all__ = [
    "CandidateDied",
    "CandidateError",
    "CandidateFailure",
    "CandidateProtocol",
    "CandidateResource",
    "CandidateTimeout",
    "CommandResult",
    "contract",
    "probe",
]
