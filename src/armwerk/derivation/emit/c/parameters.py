"""The struct that holds the symbols of an arm, and what fills it from a text or a file."""

from __future__ import annotations

from armwerk.derivation.emit.code import documented
from armwerk.derivation.emit.models import Models


def declarations(models: Models) -> list[str]:
    """Return struct and readers for the header; nothing for an arm with numbers."""
    if not models.parameters:
        return []
    name, big = models.prefix, models.prefix.upper()
    fields = [f"    double {one.field}; /* [{one.unit}] */" for one in models.parameters.symbols]
    example = [
        f" *     {one.name} = {'30' if one.unit == 'rad' else '0.4'}"
        f"   # {'degrees' if one.unit == 'rad' else 'metres'}"
        for one in models.parameters.symbols
    ]
    struct = documented(
        "The dimensions of the arm, filled once at start and handed to every function."
    )
    text = documented(
        'Fill the dimensions from a text of lines "name = value". Lengths are in metres, angles '
        "in degrees; a unit (m, mm, deg, rad) may follow the number. What follows # is left out. "
        "Every name must occur once. Nothing is changed unless all is well.",
        "line: where the problem is, from 1; for a missing name its place in the struct, from 1. "
        "May be 0.",
        f"Returns 1, {big}_UNKNOWN_NAME, {big}_NO_NUMBER, {big}_TWICE, {big}_MISSING or "
        f"{big}_TOO_LONG.",
    )
    file = documented(
        f"The same from a file of at most {big}_LONGEST_FILE bytes.",
        f"Returns also {big}_NO_FILE when it cannot be read. Define {big}_WITHOUT_FILES where "
        "there is no stdio.",
    )
    return [
        f"{struct}\ntypedef struct {{\n" + "\n".join(fields) + f"\n}} {name}_parameters;\n",
        "\n".join(["/*", " * A file of dimensions:", " *", *example, " */"]) + "\n",
        "\n".join(
            f"#define {big}_{key} {value}"
            for key, value in (
                ("NO_FILE", "0"), ("UNKNOWN_NAME", "(-1)"), ("NO_NUMBER", "(-2)"),
                ("TWICE", "(-3)"), ("MISSING", "(-4)"), ("TOO_LONG", "(-5)"),
                ("LONGEST_FILE", "4096"),
            )
        ) + "\n",
        f"{text}\nint {name}_parseParameters({name}_parameters *parameters, const char *text, "
        "int *line);\n",
        f"#ifndef {big}_WITHOUT_FILES\n{file}\nint {name}_readParameters({name}_parameters "
        "*parameters, const char *path, int *line);\n#endif\n",
    ]  # fmt: skip


def definitions(models: Models) -> list[str]:
    """Return the readers for the source file; nothing for an arm with numbers."""
    if not models.parameters:
        return []
    symbols = models.parameters.symbols
    return [
        _READER.replace("@BIG@", models.prefix.upper())
        .replace("@arm@", models.prefix)
        .replace("@count@", str(len(symbols)))
        .replace("@names@", ", ".join(f'"{one.name}"' for one in symbols))
        .replace("@angles@", ", ".join(str(int(one.unit == "rad")) for one in symbols))
        .replace(
            "@places@",
            "\n".join(
                f"    parameters->{one.field} = values[{k}];" for k, one in enumerate(symbols)
            ),
        )
    ]


_READER = r"""/* Whether a text of some length is a word. */
static int is_word(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && strncmp(text, word, length) == 0;
}

static const char *behind_blanks(const char *text)
{
    while (*text == ' ' || *text == '\t' || *text == '\r')
        ++text;
    return text;
}

/* The number with its unit that a line ends with, in m and rad; 0: there is none. */
static int measured(const char *text, int is_angle, double *value)
{
    char *rest;
    *value = strtod(text, &rest);
    if (rest == text || !isfinite(*value))
        return 0;
    const char *unit = behind_blanks(rest);
    size_t length = 0;
    while (unit[length] && !strchr(" \t\r\n#", unit[length]))
        ++length;
    const char *end = behind_blanks(unit + length);
    if (*end && *end != '\n' && *end != '#')
        return 0;
    if (is_angle && (length == 0 || is_word(unit, length, "deg")))
        *value *= 3.141592653589793 / 180.0;
    else if (!is_angle && is_word(unit, length, "mm"))
        *value /= 1000.0;
    else if (length && !is_word(unit, length, is_angle ? "rad" : "m"))
        return 0;
    return 1;
}

int @arm@_parseParameters(@arm@_parameters *parameters, const char *text, int *line)
{
    static const char *const names[@count@] = {@names@};
    static const int angles[@count@] = {@angles@};
    double values[@count@];
    int known[@count@] = {0}, unused = 0;
    if (!line)
        line = &unused;
    for (*line = 1; *text; ++*line) {
        const char *start = behind_blanks(text), *end = start;
        if (*start && *start != '\n' && *start != '#') {
            int k = 0;
            while (*end && !strchr("= \t\r\n#", *end))
                ++end;
            while (k < @count@ && !is_word(start, (size_t)(end - start), names[k]))
                ++k;
            if (k == @count@)
                return @BIG@_UNKNOWN_NAME;
            if (known[k])
                return @BIG@_TWICE;
            end = behind_blanks(end);
            if (*end != '=')
                return @BIG@_NO_NUMBER;
            end = behind_blanks(end + 1);
            if (!*end || *end == '\n' || !measured(end, angles[k], &values[k]))
                return @BIG@_NO_NUMBER;
            known[k] = 1;
        }
        while (*text && *text != '\n')
            ++text;
        if (*text)
            ++text;
    }
    for (int k = 0; k < @count@; ++k)
        if (!known[k]) {
            *line = k + 1;
            return @BIG@_MISSING;
        }
@places@
    return 1;
}

#ifndef @BIG@_WITHOUT_FILES
int @arm@_readParameters(@arm@_parameters *parameters, const char *path, int *line)
{
    char text[@BIG@_LONGEST_FILE + 1];
    FILE *file = fopen(path, "rb");
    if (line)
        *line = 0;
    if (!file)
        return @BIG@_NO_FILE;
    const size_t length = fread(text, 1, sizeof text, file);
    const int failed = ferror(file);
    fclose(file);
    if (failed)
        return @BIG@_NO_FILE;
    if (length == sizeof text)
        return @BIG@_TOO_LONG;
    text[length] = '\0';
    return @arm@_parseParameters(parameters, text, line);
}
#endif
"""
