"""The wall: private tests look at candidate code from the other side of a pipe."""

from referee.wall.api import (
    CandidateContract,
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
    "CandidateContract",
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
