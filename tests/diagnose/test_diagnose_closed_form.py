"""A formula is walked, never executed; nothing outside the whitelist has a value."""

from __future__ import annotations

import ast
import builtins
import string

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.diagnose.closed_form import FUNCTIONS, Bounds, difference, parse_closed_form
from referee.record.fault import BadInput

T = np.linspace(-50.0, 20.0, 41)
Q = 3.0

REFUSED = [
    "__import__('os').system('true')",
    "t.__class__",
    "np.exp(t)",
    "exp.__globals__",
    "(lambda: t)()",
    "[t for t in (1, 2)]",
    "t[0]",
    "{'a': t}",
    "t if q else 1",
    "t and q",
    "t < q",
    "t // q",
    "t % q",
    "t ^ 2",
    "t @ q",
    "~t",
    "not t",
    "'text'",
    "b'bytes'",
    "True",
    "None",
    "...",
    "f'{t}'",
    "exp(t, q)",
    "exp()",
    "exp(*t)",
    "exp(x=t)",
    "exp(t, out=t)",
    "eval('t')",
    "open('/etc/passwd')",
    "getattr(t, 'a')",
    "exp",
    "x",
    "e",
    "(t := q)",
    "await t",
    "yield t",
    "import os",
    "t = 1\nt",
    "exp = q\nexp(t)",
    "pi = 3\npi",
    "a, b = t, q",
    "a = b = t",
    "a += t",
    "a[0] = t",
    "t.real = q",
    "t\nq",
    "def f(): pass",
    "b\nb = t",
    "1e999",
    "9" * 400,
    "1e999j",
    "",
    "# nothing",
    "(" * 250 + "t" + ")" * 250,
    "-" * 90 + "t",
    "t" + " + t" * 4000,
    "t\n" * 30,
    "t\0",
    "t \ud800",
    "9" * 5000,
]


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_no_closed_form_is_a_sentence(text):
    with pytest.raises(BadInput):
        parse_closed_form(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("t", T),
        ("-2.5", np.full_like(T, -2.5)),
        ("q / (1 + q)**2", np.full_like(T, 3 / 16)),
        ("exp(-abs(t)/7) * cos(2*pi*t/q)", np.exp(-np.abs(T) / 7) * np.cos(2 * np.pi * T / Q)),
        ("exp(-1j*t)", np.exp(-1j * T)),
        ("a = 1/(1+q)\nb = a*t\ntanh(b) - sech(b)", np.tanh(T / 4) - 1 / np.cosh(T / 4)),
        ("a = t\nh22 = +a - -q", T + Q),
        ("2**3**2 - 1", np.full_like(T, 511.0)),
    ],
)
def test_a_formula_has_the_value_that_numpy_gives(text, expected):
    np.testing.assert_allclose(parse_closed_form(text)(T, Q), expected, rtol=1e-14)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_is_elementwise(name):
    values = parse_closed_form(f"{name}(q)")([0.0, 1.0], [0.25, 0.5])
    alone = [parse_closed_form(f"{name}(q)")(0.0, q) for q in (0.25, 0.5)]
    np.testing.assert_array_equal(values, alone)


def test_numbers_that_are_written_are_counted():
    form = parse_closed_form("a = 1.5*t**2\na + 3 - 1j*q")
    assert form.literals == 4
    assert form.variables == ("t", "q")


def test_values_that_are_not_real_are_nan_and_those_too_large_infinite():
    assert np.isnan(parse_closed_form("log(t)")(-1.0, 1.0))
    assert np.isinf(parse_closed_form("9**9**9**9")(0.0, 1.0))
    assert np.isinf(parse_closed_form("1/t")(0.0, 1.0))


def test_shapes_go_together_or_are_refused():
    form = parse_closed_form("t + q")
    assert form(np.zeros((4, 1)), np.zeros(3)).shape == (4, 3)
    with pytest.raises(BadInput, match="do not go together"):
        form(np.zeros(4), np.zeros(3))
    with pytest.raises(BadInput, match="prediction"):
        difference(form, np.zeros(4), 1.0, np.zeros(3))


def test_the_result_is_the_callers_own():
    t = np.zeros(3)
    parse_closed_form("t")(t, 1.0)[:] = 7
    assert t.tolist() == [0, 0, 0]


def test_difference_is_relative_to_the_largest_prediction():
    form = parse_closed_form("2*t")
    assert difference(form, T, Q, 2 * T) == 0
    assert difference(form, T, Q, 2 * T + 1e-3) == pytest.approx(1e-5, rel=1e-3)
    assert difference(form, T, Q, 0 * T) == np.inf
    assert difference(form, T, Q, T * np.nan) == np.inf
    assert difference(parse_closed_form("0*t"), T, Q, 0 * T) == 0


def test_bounds_are_those_that_are_asked_for():
    assert parse_closed_form("t + 1", Bounds(nodes=3)).nodes == 3
    with pytest.raises(BadInput, match="too large"):
        parse_closed_form("t + 1", Bounds(nodes=2))
    with pytest.raises(BadInput, match="lines"):
        parse_closed_form("a = t\na", Bounds(lines=1))
    with pytest.raises(BadInput, match="characters"):
        parse_closed_form("t + 1", Bounds(chars=4))


leaves = st.one_of(
    st.sampled_from(["t", "q", "pi"]),
    st.floats(0, 1e6, allow_nan=False).map(repr),
    st.integers(0, 10**6).map(str),
)
formulas = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "-", "*", "/", "**"]), inner).map(
            lambda p: f"({p[0]} {p[1]} {p[2]})"
        ),
        st.tuples(st.sampled_from(sorted(FUNCTIONS)), inner).map(lambda p: f"{p[0]}({p[1]})"),
        inner.map(lambda e: f"(-{e})"),
    ),
    max_leaves=12,
)


@given(formulas)
@settings(max_examples=100, deadline=None)
def test_every_formula_of_the_language_has_a_value(text):
    values = parse_closed_form(text)(T, Q)
    assert values.shape == T.shape
    assert values.dtype.kind in "fc"


ALLOWED = (
    ast.Module,
    ast.Expr,
    ast.Assign,
    ast.BinOp,
    ast.UnaryOp,
    ast.Call,
    ast.Name,
    ast.Constant,
    ast.Load,
    ast.Store,
    ast.Add,
    ast.Sub,
    ast.Mult,
    ast.Div,
    ast.Pow,
    ast.UAdd,
    ast.USub,
)

pieces = st.sampled_from(
    [
        *("t", "q", "pi", "exp", "log", "(", ")", "+", "-", "*", "**", "/", "1", "2.5", "1j", " "),
        *(".", "[", "]", "{", "}", ",", ":", "=", ":=", "lambda", "if", "else", "for", "in", "\n"),
        *("__class__", "eval", "open", "'s'", "f'{t}'", "import os", "@", "%", "//", "~", "not"),
        *("a = ", "a", "await", "None", "True", "<", "and", ";", "exec", "getattr", "_", "np."),
    ]
)


@given(
    st.one_of(st.lists(pieces, max_size=14).map("".join), st.text(string.printable, max_size=40))
)
@settings(max_examples=250, deadline=None)
def test_whatever_is_accepted_holds_nothing_but_the_language(text):
    try:
        form = parse_closed_form(text)
    except BadInput:
        return
    tree = ast.parse(text.strip())
    for node in ast.walk(tree):
        assert isinstance(node, ALLOWED)
        if isinstance(node, ast.Call):
            assert isinstance(node.func, ast.Name)
            assert node.func.id in FUNCTIONS
    assert form(T, Q).shape == T.shape


@given(st.sampled_from(sorted(set(dir(builtins)) - set(FUNCTIONS))), formulas)
@settings(max_examples=60, deadline=None)
def test_no_builtin_has_a_meaning(name, inner):
    for text in (f"{name}({inner})", f"{name} + {inner}", name):
        with pytest.raises(BadInput):
            parse_closed_form(text)


@given(formulas, st.from_regex(r"[A-Za-z_]{1,12}", fullmatch=True))
@settings(max_examples=60, deadline=None)
def test_no_attribute_has_a_meaning(inner, name):
    for text in (f"({inner}).{name}", f"({inner}).{name}(t)", f"exp(t).{name}"):
        with pytest.raises(BadInput):
            parse_closed_form(text)
