from armwerk.motion.table.rows import (
    HelpPoint as HelpPoint,
    Row as Row,
    Settings as Settings,
    TableRow as TableRow,
    TableSettings as TableSettings,
)
from armwerk.motion.table.table import Table as Table
