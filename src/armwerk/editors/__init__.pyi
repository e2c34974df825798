from armwerk.editors.analysis import Analysis as Analysis, Declared as Declared
from armwerk.editors.calls import CallHelp as CallHelp, call_help as call_help
from armwerk.editors.completion import (
    CompletionProposal as CompletionProposal,
    complete as complete,
)
from armwerk.editors.hover import HoverText as HoverText, hover as hover
from armwerk.editors.server.server import ProgramServer as ProgramServer, make_server as make_server
