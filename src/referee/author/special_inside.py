# mypy: ignore-errors
# Runs inside the sandbox, at the end of a changed module: its functions write down what they are
# called with, or choose by that between the repaired and the old code.


def _special_key(value, depth=0):
    if value is None or isinstance(value, (bool, int, float, complex, str, bytes)):
        return repr(value)
    kind = type(value).__name__
    if depth > 4:
        return kind
    if isinstance(value, (list, tuple)):
        return kind + repr([_special_key(v, depth + 1) for v in value])
    if isinstance(value, (set, frozenset)):
        return kind + repr(sorted(_special_key(v, depth + 1) for v in value))
    if isinstance(value, dict):
        rows = [[_special_key(k, depth + 1), _special_key(v, depth + 1)] for k, v in value.items()]
        return kind + repr(rows)
    array = hasattr(type(value), "dtype") and hasattr(type(value), "tobytes")
    if array and str(value.dtype) != "object":
        return kind + repr((str(value.dtype), getattr(value, "shape", ()), value.tobytes()))
    state = getattr(value, "__dict__", None)
    return kind + (_special_key(state, depth + 1) if isinstance(state, dict) else "")


def _special_digest(name, args, kwargs):
    import hashlib

    try:
        text = _special_key([name, args, kwargs])
    except Exception:
        return None
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


def _special_held(module, name):
    *path, last = name.split(".")
    owner = None
    for part in path:
        owner = (module if owner is None else vars(owner))[part]
    return owner, last, (module if owner is None else vars(owner))[last]


def _special_install(module, names, make):
    for name in names:
        owner, last, held = _special_held(module, name)
        if isinstance(held, (staticmethod, classmethod)):
            new = type(held)(make(name, held.__func__))
        elif isinstance(held, property):
            new = property(make(name, held.fget), held.fset, held.fdel, held.__doc__)
        else:
            new = make(name, held)
        if owner is None:
            module[last] = new
        else:
            setattr(owner, last, new)


def _special_record(module, names, path):
    import functools

    def make(name, new):
        @functools.wraps(new)
        def told(*args, **kwargs):
            if (digest := _special_digest(name, args, kwargs)) is not None:
                with open(path, "a") as file:  # noqa: PTH123
                    file.write(f"{digest} {name}\n")
            return new(*args, **kwargs)

        return told

    _special_install(module, names, make)


def _special_choose(module, names, calls, source):
    import functools
    import types

    known = frozenset(calls.split())
    before = types.ModuleType(module["__name__"]).__dict__
    before.update({k: module.get(k) for k in ("__package__", "__file__", "__spec__")})
    exec(compile(source, module["__file__"], "exec"), before)

    def make(name, new):
        old = _special_held(before, name)[2]
        old = getattr(old, "__func__", None) or getattr(old, "fget", None) or old

        @functools.wraps(new)
        def choose(*args, **kwargs):
            right = _special_digest(name, args, kwargs) in known
            return (new if right else old)(*args, **kwargs)

        return choose

    _special_install(module, names, make)
