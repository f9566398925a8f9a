"""Model profiles: read as data, private where they hold a key, and never printed with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from referee.agent.profile import load_profile
from referee.record.fault import BadInput

KEY = "sk-canary-91d3"
TOML = """\
[models.small]
base_url = "https://api.example.org/v1"
protocol = "openai-chat"
model = "small-1"
also = ["tiny-1"]
key_variable = "EXAMPLE_KEY"
context_window = 8192

[models.small.price]
input = 0.5
output = 1.5

[models.small.sampling]
temperature = 0.0
"""
ENV = f"""\
# a comment
BASE_URL=http://127.0.0.1:8080
PROTOCOL=anthropic-messages
MODEL="big 2"
KEY={KEY}
PRICE_INPUT=3
PRICE_OUTPUT=15.5
SEED=7
TOOLS=false
"""


def write(path: Path, text: str, mode: int = 0o600) -> Path:
    path.write_text(text)
    path.chmod(mode)
    return path


def test_a_table_of_models_toml(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "models.toml", TOML, 0o644)
    monkeypatch.chdir(tmp_path)
    for text in ("small", f"{tmp_path}/models.toml:small"):
        profile = load_profile(text, {"EXAMPLE_KEY": KEY})
        assert profile.models == {"small-1", "tiny-1"}
        assert profile.key.get_secret_value() == KEY
        assert profile.price is not None
        assert (profile.price.input, profile.price.output) == (0.5, 1.5)
        assert KEY not in repr(profile) + str(profile) + str(profile.facts)
        assert profile.facts["base_url"] == "https://api.example.org/v1"


def test_further_fields_of_every_request(tmp_path: Path) -> None:
    table = TOML.replace('key_variable = "EXAMPLE_KEY"\n', "tools = false\n")
    path = write(tmp_path / "m.toml", table + '[models.small.extra]\nreasoning_effort = "low"\n')
    profile = load_profile(f"{path}:small", {})
    assert (profile.table.tools, profile.table.extra) == (False, {"reasoning_effort": "low"})
    assert profile.facts["extra"] == {"reasoning_effort": "low"}
    for taken in ("model", "messages", "max_tokens", "temperature", "stream"):
        write(path, table + f"[models.small.extra]\n{taken} = 1\n")
        with pytest.raises(BadInput, match=f"{taken} is not for a profile to say here"):
            load_profile(f"{path}:small", {})


def test_an_environment_file_is_data(tmp_path: Path) -> None:
    path = write(tmp_path / "big.env", ENV + "TEMPERATURE=0.5\n")
    profile = load_profile(str(path), {})
    assert (profile.name, profile.table.model, profile.table.sampling.seed) == ("big", "big 2", 7)
    assert profile.table.sampling.temperature == 0.5
    assert profile.price is not None
    assert profile.price.output == 15.5
    assert profile.key.get_secret_value() == KEY
    assert "base_url" not in profile.facts
    assert KEY not in repr(profile)


def test_nothing_in_an_environment_file_is_run_or_filled_in(tmp_path: Path) -> None:
    text = ENV.replace('"big 2"', "'$(touch made)${HOME}'")
    profile = load_profile(str(write(tmp_path / "odd.env", text)), {})
    assert profile.table.model == "$(touch made)${HOME}"
    assert [path.name for path in tmp_path.iterdir()] == ["odd.env"]


@pytest.mark.parametrize(
    ("text", "mode", "sentence"),
    [
        (ENV, 0o644, "others can read this file, and it may hold a key; run `chmod 600"),
        (ENV + "KEYS=1\n", 0o600, "KEYS is no variable of a profile; known: KEY, BASE_URL"),
        (ENV.replace("MODEL", "#"), 0o600, "model"),
        (ENV.replace("anthropic-messages", "smoke"), 0o600, "protocol"),
        (ENV.replace("PRICE_INPUT=3", "PRICE_INPUT=nan"), 0o600, "price.input"),
        (ENV.replace("http://127.0.0.1:8080", "http://me:secret@host"), 0o600, "base_url"),
    ],
    ids=["mode", "unknown", "missing", "protocol", "price", "password"],
)
def test_bad_environment_files(tmp_path: Path, text: str, mode: int, sentence: str) -> None:
    path = write(tmp_path / "bad.env", text, mode)
    with pytest.raises(BadInput, match=sentence) as failure:
        load_profile(str(path), {})
    assert str(path) in str(failure.value)
    assert KEY not in str(failure.value)


def test_bad_names_and_missing_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadInput, match=r"there is no profile 'small'; write models.toml here"):
        load_profile("small", {})
    write(tmp_path / "models.toml", TOML)
    with pytest.raises(BadInput, match=r"there is no \[models.smal\]; it has small"):
        load_profile("smal", {})
    with pytest.raises(BadInput, match="variable EXAMPLE_KEY, which holds the key, is not set"):
        load_profile("small", {})
    write(tmp_path / "models.toml", TOML + 'speed = "fast"\n')
    with pytest.raises(BadInput, match="speed"):
        load_profile("small", {"EXAMPLE_KEY": KEY})


@pytest.mark.parametrize(
    "key", [KEY + " ", "short", 'sk-"quoted"-1234', "sk-with blank-12", "é" * 9]
)
def test_a_key_that_could_not_be_kept_out_of_texts_is_refused(
    tmp_path: Path, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "models.toml", TOML)
    for value in (key, KEY + "\r"):
        with pytest.raises(BadInput, match="the key has blanks, quotes") as failure:
            load_profile("small", {"EXAMPLE_KEY": value})
        assert value.strip() not in str(failure.value)


@pytest.mark.parametrize("url", ["http://[bad", "http:///v1", "https://"])
def test_an_address_without_a_host_is_refused(tmp_path: Path, url: str) -> None:
    path = write(tmp_path / "m.toml", TOML.replace("https://api.example.org/v1", url))
    with pytest.raises(BadInput, match="base_url"):
        load_profile(f"{path}:small", {"EXAMPLE_KEY": KEY})
