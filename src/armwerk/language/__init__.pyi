from armwerk.language.layout import formatted as formatted
from armwerk.language.parsing.units import ParsedUnit as ParsedUnit, parse as parse
