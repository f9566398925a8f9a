"""Measurements: a metric of the task, recomputed by the evaluator from the candidate's arrays.

A metric module is the evaluator's own code. It says which quantities, in which units, each of its
operations needs, and computes plain data from them. It gets read-only arrays and a few scalars,
never a path. What a candidate's numbers can cause in it (a ValueError, a division by zero, a result
that is not finite) is the candidate's; any other exception is the evaluator's own fault.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field, StringConstraints, TypeAdapter

from referee.evidence.arrays import Numbers
from referee.evidence.binding import Binding, bound_array
from referee.evidence.fault import EvidenceError, EvidenceLimit
from referee.evidence.roots import Candidate, Evidence
from referee.evidence.units import unit_named
from referee.record.canonical import canonical_json, sha256_json
from referee.record.fault import Infrastructure
from referee.record.measure import Finite
from referee.record.model import Frozen

Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9_]*$", max_length=80)]
Scalar = bool | int | Finite | Annotated[str, StringConstraints(max_length=500)]
Status = Literal["recomputed_from_candidate_arrays", "analytic_context_only"]
Derive = Callable[[str, Mapping[str, Numbers], Mapping[str, Any]], Any]
_CONTEXT: TypeAdapter[dict[str, Scalar]] = TypeAdapter(dict[Name, Scalar])


class Quantity(Frozen):
    """What an operation needs: its unit, whether it may be complex, and how many axes and values it
    has (None: any number up to the limits)."""

    unit: str
    complex_allowed: bool = False
    ndim: Annotated[int, Field(ge=0, le=8)] | None = None
    least: Annotated[int, Field(ge=1)] = 1
    most: Annotated[int, Field(ge=1)] | None = None


class Operation(Frozen):
    """The quantities of an operation by name, and the names of the scalars it takes."""

    quantities: dict[Name, Quantity] = Field(default_factory=dict)
    context: tuple[Name, ...] = ()


@dataclass(frozen=True)
class MetricModule:
    """A task's metrics: operations by name, and the function that computes them. `sha256` is the
    digest of the module's source."""

    sha256: str
    operations: Mapping[str, Operation]
    derive: Derive

    def __post_init__(self) -> None:
        for operation in self.operations.values():
            for quantity in operation.quantities.values():
                unit_named(quantity.unit)


@dataclass(frozen=True)
class Measurement:
    """A result with all that it rests on; `files` has the digest of each bound file."""

    operation: str
    status: Status
    result: Any
    module: str
    bindings: Mapping[str, Binding] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    context: Mapping[str, Any] = field(default_factory=dict)

    @property
    def inputs(self) -> str:
        """Digest of bindings and context: measurements with the same one rest on the same."""
        bound = {name: binding.as_json() for name, binding in self.bindings.items()}
        return sha256_json([self.operation, bound, dict(self.context)])


def measure(
    evidence: Evidence,
    module: MetricModule,
    operation: str,
    bindings: Mapping[str, Binding],
    context: Mapping[str, Any] | None = None,
) -> Measurement:
    """The result of an operation on bound arrays.

    Raises:
        EvidenceFault: a binding does not hold, does not fit the quantity, or is too large; names
            other than the operation's; a context that is more than scalars; arrays from which the
            module cannot compute.
        Infrastructure: `metric_crash` or `metric_result`, the evaluator's module failed.
        KeyError: the module has no such operation.
    """
    spec = module.operations[operation]
    scalars = _context(evidence, operation, spec, context or {})
    _require_names(operation, spec, bindings)
    arrays: dict[str, Numbers] = {}
    for name in sorted(bindings):
        arrays[name] = _quantity(evidence, operation, name, spec.quantities[name], bindings[name])
        _require_total(evidence, operation, bindings, arrays)
    files = {f"{root}:{path}": evidence.root(root).sha256(path) for root, path in _files(bindings)}
    return Measurement(
        operation=operation,
        status="recomputed_from_candidate_arrays" if bindings else "analytic_context_only",
        result=_derived(evidence, module, operation, arrays, scalars),
        module=module.sha256,
        bindings=dict(bindings),
        files=files,
        context=scalars,
    )


@dataclass(frozen=True, slots=True)
class Unavailable:
    """No measurement can be used, and why: `none`, `ambiguous`, `stale_module`, `analytic_only` or
    `changed_file`."""

    reason: str


def usable(
    evidence: Evidence, module: MetricModule, operation: str, made: Iterable[Measurement]
) -> Measurement | Unavailable:
    """The one measurement of an operation that a leaf may rest on.

    Its module must be the current one, it must be recomputed from the candidate's arrays, and its
    files must still have their digests. Several that rest on different inputs are ambiguous.

    Raises:
        Infrastructure: `metric_unstable`, the same inputs gave different results.
        EvidenceFault: a bound file can no longer be read.
    """
    of_it = [m for m in made if m.operation == operation]
    if not of_it:
        return Unavailable("none")
    current = [m for m in of_it if m.module == module.sha256]
    if not current:
        return Unavailable("stale_module")
    bound = [m for m in current if m.status == "recomputed_from_candidate_arrays" and m.bindings]
    if not bound:
        return Unavailable("analytic_only")
    by_inputs: dict[str, Measurement] = {}
    for measurement in bound:
        first = by_inputs.setdefault(measurement.inputs, measurement)
        if canonical_json(first.result) != canonical_json(measurement.result):
            raise Infrastructure("metric_unstable", f"{operation} gave two results for one input")
    if len(by_inputs) > 1:
        return Unavailable("ambiguous")
    (only,) = by_inputs.values()
    return only if _files_hold(evidence, only) else Unavailable("changed_file")


def _files_hold(evidence: Evidence, measurement: Measurement) -> bool:
    return all(
        evidence.root(root).sha256(path) == measurement.files.get(f"{root}:{path}")
        for root, path in _files(measurement.bindings)
    )


def _quantity(
    evidence: Evidence, operation: str, name: str, spec: Quantity, binding: Binding
) -> Numbers:
    where = f"{operation}.{name}"
    if unit_named(binding.target_unit)[0] != unit_named(spec.unit)[0]:
        raise EvidenceError(where, f"is bound in {binding.target_unit} and needed in {spec.unit}")
    values = bound_array(evidence, binding)
    if values.dtype.kind == "c" and not spec.complex_allowed:
        raise EvidenceError(where, "is complex, and a real quantity is needed")
    if spec.ndim is not None and values.ndim != spec.ndim:
        raise EvidenceError(where, f"has {values.ndim} axes, and {spec.ndim} are needed")
    if not (spec.least <= values.size and (spec.most is None or values.size <= spec.most)):
        most = "" if spec.most is None else f" to {spec.most}"
        raise EvidenceError(where, f"has {values.size} values, not {spec.least}{most}")
    return values


def _require_names(operation: str, spec: Operation, bindings: Mapping[str, Binding]) -> None:
    missing = sorted(spec.quantities.keys() - bindings.keys())
    extra = sorted(bindings.keys() - spec.quantities.keys())
    if missing or extra:
        told = f"{missing[0]} is not bound" if missing else f"{extra[0][:80]} is not its quantity"
        raise EvidenceError(operation, told)


def _require_total(
    evidence: Evidence,
    operation: str,
    bindings: Mapping[str, Binding],
    arrays: Mapping[str, Numbers],
) -> None:
    limits = evidence.limits
    if len(bindings) > limits.bindings:
        raise EvidenceLimit(operation, f"has {len(bindings)} bindings, not {limits.bindings}")
    total = sum(values.nbytes for values in arrays.values())
    if total <= limits.bound_arrays:
        return
    stored = sum(evidence.root(root).size(path) for root, path in _files(bindings))
    if total > limits.inflation * stored:
        raise EvidenceError(operation, f"binds {total} bytes, of which {stored} are stored")
    told = f"binds {total} bytes, and {limits.bound_arrays} are read at most"
    raise EvidenceLimit(operation, told)


def _files(bindings: Mapping[str, Binding]) -> set[tuple[Candidate, str]]:
    return {(binding.root, binding.path) for binding in bindings.values()}


def _context(
    evidence: Evidence, operation: str, spec: Operation, context: Mapping[str, Any]
) -> dict[str, Any]:
    limits = evidence.limits
    try:
        scalars = _CONTEXT.validate_python(dict(context), strict=True)
    except ValueError:
        raise EvidenceError(operation, "the context is more than named scalars") from None
    if set(scalars) != set(spec.context):
        wanted = ", ".join(sorted(spec.context)) or "nothing"
        raise EvidenceError(operation, f"the context must be {wanted}")
    if len(canonical_json(scalars)) > limits.context:
        raise EvidenceLimit(operation, f"the context has more than {limits.context} bytes")
    return dict(scalars)


def _derived(
    evidence: Evidence,
    module: MetricModule,
    operation: str,
    arrays: Mapping[str, Numbers],
    scalars: Mapping[str, Any],
) -> Any:
    try:
        result = _plain(module.derive(operation, arrays, scalars))
        size = len(canonical_json(result))
    except (ValueError, ArithmeticError, np.linalg.LinAlgError) as error:
        told = f"cannot be computed from these arrays: {str(error)[:200]}"
        raise EvidenceError(operation, told) from None
    except EvidenceError:
        raise
    except Exception as error:
        told = f"{operation}: {type(error).__name__}: {str(error)[:200]}"
        raise Infrastructure("metric_crash", told) from error
    if size > evidence.limits.result:
        told = f"{operation} returned {size} bytes, and {evidence.limits.result} are kept at most"
        raise Infrastructure("metric_result", told)
    return result


def _plain(value: Any) -> Any:
    # A number that is not finite becomes None, which satisfies no condition.
    if isinstance(value, np.ndarray | np.generic):
        return _plain(value.tolist())
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
