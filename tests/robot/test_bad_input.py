"""Bad files of every format: one clear error that says where, never anything else."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from armwerk.errors import DescriptionError
from armwerk.robot import Arm, Joint, Link, load
from armwerk.robot.formats.toml_reader import arm_from_toml
from armwerk.robot.formats.toml_writer import arm_to_toml
from armwerk.robot.formats.urdf_reader import arm_from_urdf
from armwerk.robot.formats.urdf_writer import arm_to_urdf
from armwerk.robot.formats.xml_reader import arm_from_xml
from armwerk.robot.formats.xml_writer import arm_to_xml
from armwerk.robot.reading import MOST_BYTES

ARM = Arm.from_dh(
    [
        Joint(
            "revolute",
            name="waist",
            d=0.4375,
            alpha=1.0625,
            limits=(-2.125, 2.125),
            max_velocity=3.5,
            link=Link(17.375, (0.0625, 0.0, 0.0), (0.25, 0.375, 0.3125, 0.0, 0.0, 0.0)),
            viscous_friction=0.1875,
        ),
        Joint("revolute", name="elbow", a=0.5625, limits=(-1.5, 1.5)),
        Joint("prismatic", name="slide", a=0.125, limits=(0.0, 0.75)),
    ],
    name="mine",
    title="Ünicode",
)
READERS = {"toml": arm_from_toml, "xml": arm_from_xml, "urdf": arm_from_urdf}
WRITERS = {"toml": arm_to_toml, "xml": arm_to_xml, "urdf": arm_to_urdf}


def written(ending: str) -> str:
    """Return the arm in a format; for URDF without the copy that its extension holds."""
    text = WRITERS[ending](ARM)
    if ending == "urdf":
        text = text[: text.index("<armwerk")] + "</robot>\n"
    return text


TEXTS = {ending: written(ending) for ending in READERS}
FORMATS = pytest.mark.parametrize("ending", list(READERS))


def refused(path: Path, content: bytes | str) -> DescriptionError:
    """Return the error that loading a file with this content gives."""
    if isinstance(content, str):
        content = content.encode()
    path.write_bytes(content)
    with pytest.raises(DescriptionError, match=re.escape(path.name)) as caught:
        load(path)
    error = caught.value
    assert error.file == str(path)
    assert str(path) in str(error)
    assert error.line is not None
    assert 1 <= error.line <= max(content.count(b"\n") + 1, 1)
    assert error.element
    assert error.allowed
    return error


def assert_loads_or_is_refused(ending: str, text: str) -> None:
    """Check that reading gives an arm, or a `DescriptionError` with its place."""
    outcome: Arm | DescriptionError
    try:
        outcome = READERS[ending](text, "here")
    except DescriptionError as error:
        outcome = error
    if isinstance(outcome, DescriptionError):
        assert outcome.file == "here"
        assert outcome.line is not None
        assert outcome.element
    else:
        assert isinstance(outcome, Arm)


def on_line(text: str, part: str) -> int:
    """Return the line at which a part of the text stands."""
    return text[: text.index(part)].count("\n") + 1


CASES = {
    "not a number": {
        "toml": ("d = 0.4375", "d = nan"),
        "xml": ("<link-offset>0.4375<", "<link-offset>nan<"),
        "urdf": ('xyz="0.0 0.0 0.4375"', 'xyz="0.0 0.0 nan"'),
    },
    "infinite": {
        "toml": ("d = 0.4375", "d = inf"),
        "xml": ("<link-offset>0.4375<", "<link-offset>-inf<"),
        "urdf": ('xyz="0.0 0.0 0.4375"', 'xyz="0.0 0.0 inf"'),
    },
    "too large a number": {
        "toml": ("d = 0.4375", "d = 1" + "0" * 400),
        "xml": ("<link-offset>0.4375<", "<link-offset>1e999<"),
        "urdf": ('xyz="0.0 0.0 0.4375"', 'xyz="0.0 0.0 1e999"'),
    },
    "missing field": {
        "toml": ('kind = "prismatic"\n', "\n"),
        "xml": ("<joint-type>prismatic</joint-type>", ""),
        "urdf": ('type="prismatic"', ""),
    },
    "missing row": {
        "toml": ('name = "mine"', ""),
        "xml": ("<link-length>0.5625</link-length>", "<link-length/>"),
        "urdf": ('<parent link="waist_link"/>', ""),
    },
    "wrong shape": {
        "toml": ("com = [0.0625, 0.0, 0.0]", "com = [0.0625, 0.0]"),
        "xml": ("<rx>0.0625</rx>", "<rx>0.0625 0.0</rx>"),
        "urdf": ('xyz="0.0 0.0 0.4375"', 'xyz="0.0 0.4375"'),
    },
    "negative mass": {
        "toml": ("mass = 17.375", "mass = -17.375"),
        "xml": ("<mass>17.375<", "<mass>-17.375<"),
        "urdf": ('<mass value="17.375"', '<mass value="-17.375"'),
    },
    "impossible inertia": {
        "toml": ("inertia = [0.25", "inertia = [-0.25"),
        "xml": ("<Ixx>0.25<", "<Ixx>-0.25<"),
        "urdf": ('ixx="0.25"', 'ixx="-0.25"'),
    },
    "minimum above maximum": {
        "toml": ("[-2.125, 2.125]", "[2.125, -2.125]"),
        "xml": ("<theta-min>-2.125<", "<theta-min>3.125<"),
        "urdf": ('lower="-2.125"', 'lower="3.125"'),
    },
    "unknown joint kind": {
        "toml": ('kind = "prismatic"', 'kind = "screw"'),
        "xml": ("<joint-type>prismatic", "<joint-type>screw"),
        "urdf": ('type="prismatic"', 'type="screw"'),
    },
    "wrong type": {
        "toml": ("max_velocity = 3.5", "max_velocity = true"),
        "xml": ("<velocity-max>3.5", "<velocity-max>fast[0]"),
        "urdf": ('velocity="3.5"', 'velocity="fast"'),
    },
    "negative speed": {
        "toml": ("max_velocity = 3.5", "max_velocity = -3.5"),
        "xml": ("<velocity-max>3.5", "<velocity-max>-3.5"),
        "urdf": ('velocity="3.5"', 'velocity="-3.5"'),
    },
    "negative friction": {
        "toml": ("friction = 0.1875", "friction = -0.1875"),
        "xml": ("<viscous-friction>0.1875", "<viscous-friction>-0.1875"),
        "urdf": ('damping="0.1875"', 'damping="-0.1875"'),
    },
    "unknown key": {
        "toml": ("d = 0.4375", "depth = 0.4375"),
        "xml": ("<link-offset>0.4375</link-offset>", "<depth>0.4375</depth>"),
        "urdf": ('type="prismatic"', 'typ="prismatic"'),
    },
    "name used twice": {
        "toml": ('name = "elbow"', 'name = "waist"'),
        "xml": ("<name>elbow", "<name>waist"),
        "urdf": ('<joint name="elbow"', '<joint name="waist"'),
    },
}  # fmt: skip


@FORMATS
@pytest.mark.parametrize("case", list(CASES))
def test_bad_values_are_named(tmp_path: Path, ending: str, case: str) -> None:
    old, new = CASES[case][ending]
    text = TEXTS[ending]
    assert old in text
    changed = text.replace(old, new, 1)
    error = refused(tmp_path / f"bad.{ending}", changed)
    if case == "name used twice":  # told at the joint, whose name may stand elsewhere
        assert "waist" in str(error)
        return
    assert abs((error.line or 0) - on_line(text, old)) <= (8 if case.startswith("missing") else 4)
    if not case.startswith("missing") and "missing" not in error.problem:
        assert error.value is not None


@FORMATS
def test_coinciding_axes_are_named(tmp_path: Path, ending: str) -> None:
    changes = {
        "toml": ("alpha = 1.0625", "alpha = 0.0"),
        "xml": ("<link-twist>1.0625", "<link-twist>0.0"),
        "urdf": ('rpy="1.0625 0.0 0.0"', 'rpy="0.0 0.0 0.0"'),
    }
    text = TEXTS[ending].replace(*changes[ending])
    error = refused(tmp_path / f"bad.{ending}", text)
    assert "'waist' and 'elbow' coincide" in str(error)


@FORMATS
def test_a_file_cut_anywhere_is_refused_or_whole(tmp_path: Path, ending: str) -> None:
    """A cut XML is never whole; a cut TOML may by chance end between two tables."""
    text = TEXTS[ending].rstrip()
    cuts = sorted(random.Random(1).sample(range(1, len(text)), 120))
    for cut in cuts:
        piece = text[:cut]
        if ending == "toml":
            assert_loads_or_is_refused(ending, piece)
        else:
            refused(tmp_path / f"cut.{ending}", piece)


@FORMATS
def test_large_files_are_refused_before_they_are_read(tmp_path: Path, ending: str) -> None:
    comment = "# x" if ending == "toml" else "<!-- x -->"
    filler = (comment + "\n") * (10_000_000 // len(comment) + 1)
    error = refused(tmp_path / f"large.{ending}", filler + TEXTS[ending])
    assert "bytes" in str(error.value)
    assert int(str(error.value).split()[0]) > 10_000_000
    assert str(MOST_BYTES) in error.allowed


@FORMATS
@pytest.mark.parametrize("content", [b"", b" \n\t\n", b"\xef\xbb\xbf"])
def test_empty_files(tmp_path: Path, ending: str, content: bytes) -> None:
    refused(tmp_path / f"empty.{ending}", content)


@FORMATS
@pytest.mark.parametrize(
    "content",
    [
        bytes(range(256)),
        b"\x7fELF\x02\x01\x01" + bytes(100),
        b"\x89PNG\r\n\x1a\n" + bytes(50),
        b"\xff\xfe" + "name".encode("utf-16-le"),
        "größe = 1".encode("latin-1"),
        b"\xed\xa0\x80",
    ],
)
def test_binary_files(tmp_path: Path, ending: str, content: bytes) -> None:
    error = refused(tmp_path / f"binary.{ending}", content)
    assert "UTF-8" in error.allowed


@FORMATS
def test_missing_files_and_folders(tmp_path: Path, ending: str) -> None:
    with pytest.raises(DescriptionError, match="does not exist"):
        load(tmp_path / f"missing.{ending}")
    (tmp_path / f"folder.{ending}").mkdir()
    with pytest.raises(DescriptionError, match="folder"):
        load(tmp_path / f"folder.{ending}")


@FORMATS
def test_a_mark_at_the_start_is_no_harm(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"marked.{ending}"
    path.write_bytes(b"\xef\xbb\xbf" + TEXTS[ending].replace("\n", "\r\n").encode())
    assert load(path).dof == 3


@pytest.mark.parametrize("ending", ["xml", "urdf"])
@pytest.mark.parametrize(
    "prologue",
    [
        '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/hostname">]>',
        '<!DOCTYPE a SYSTEM "http://localhost:1/a.dtd">',
        '<!DOCTYPE a [<!ENTITY % p SYSTEM "file:///etc/hostname"> %p;]>',
        '<!DOCTYPE a [<!ENTITY a "ha"><!ENTITY b "&a;&a;"><!ENTITY c "&b;&b;">]>',
        "<!DOCTYPE a>",
    ],
)
def test_entities_are_refused_outright(tmp_path: Path, ending: str, prologue: str) -> None:
    text = TEXTS[ending]
    head, body = text.split("\n", 1)
    for entity in ("", "&x;"):
        attack = f"{head}\n\n{prologue}\n" + body.replace("0.4375", f"0.4375{entity}", 1)
        error = refused(tmp_path / f"attack.{ending}", attack)
        assert error.line == 3
        assert "refused" in str(error)


def test_ten_entities_deep(tmp_path: Path) -> None:
    lines = ['<!ENTITY l0 "lol">']
    lines += [f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10)]
    text = f'<?xml version="1.0"?>\n<!DOCTYPE l [\n{chr(10).join(lines)}\n]>\n<robot>&l9;</robot>'
    for ending in ("xml", "urdf"):
        assert refused(tmp_path / f"laughs.{ending}", text).line == 2


@pytest.mark.parametrize("ending", ["xml", "urdf"])
def test_undeclared_entities_and_deep_nesting(tmp_path: Path, ending: str) -> None:
    refused(tmp_path / f"a.{ending}", TEXTS[ending].replace("0.4375", "&what;", 1))
    refused(tmp_path / f"b.{ending}", "<a>" * 100_000)
    refused(tmp_path / f"c.{ending}", "<a>" * 300 + "</a>" * 300)


def test_deep_toml(tmp_path: Path) -> None:
    refused(tmp_path / "a.toml", "a = " + "[" * 50_000)
    refused(tmp_path / "b.toml", "a = " + "[" * 5000 + "]" * 5000)
    refused(tmp_path / "c.toml", ".".join("a" * 3000) + " = 1")
    refused(tmp_path / "d.toml", "a = 1" + "0" * 10_000)


PIECES = (
    *("", "0", "-1", "nan", "1e999", '"', "'", "[", "]", "{", "}", "=", "<", ">", "&", "/", "\n"),
    *("\0", "é", "\ud7ff", "joint", "name", "[[joint]]", "<joint>", "</joint>", "<!--", "]]>"),
    *("1e300", "-1e308", "1e-320", "3.14159", "0.0", '<x:y xmlns:x="z"/>', "<!DOCTYPE"),
    *("true", "[]", "{}", "1979-05-27", '"x"', "fixed", "kind", "a.b", "0x10", "(", "**", "#"),
)


def mutated(text: str, choose: random.Random) -> str:
    """Return the text with a few pieces cut out, doubled, swapped or put in."""
    for _ in range(choose.randint(1, 4)):
        start = choose.randrange(len(text) + 1)
        end = min(len(text), start + choose.choice([0, 1, 3, 10, 60]))
        other = choose.randrange(len(text) + 1)
        piece = choose.choice([*PIECES, text[start:end] * 2, text[other : other + 30]])
        text = text[:start] + piece + text[end:]
    return text


def renumbered(text: str, choose: random.Random) -> str:
    """Return the text with a few of its numbers replaced by extreme ones."""
    for _ in range(choose.randint(1, 3)):
        found = choose.choice(list(re.finditer(r"-?\d+\.\d+", text)))
        piece = choose.choice(["1e300", "-1e308", "1e154", "1e-320", "-0.0", "1e17", "3.14159"])
        text = text[: found.start()] + piece + text[found.end() :]
    return text


@FORMATS
@settings(max_examples=150, deadline=None)
@given(st.randoms(use_true_random=False))
def test_mutated_files_load_or_are_refused(ending: str, choose: random.Random) -> None:
    whole = WRITERS[ending](ARM) if choose.random() < 0.5 else TEXTS[ending]
    change = choose.choice([mutated, renumbered])
    text = change(whole, choose)
    assert_loads_or_is_refused(ending, text)
