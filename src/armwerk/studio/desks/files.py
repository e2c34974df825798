"""Files that views open and save."""

from __future__ import annotations

from armwerk.protocol.filing import FileCommand, FileList, FileResult, FileText, ListFiles, ReadFile
from armwerk.studio.folder import StudioFolder


class FileDesk:
    """Opens and saves files.

    Args:
        folder: Below which.
    """

    def __init__(self, folder: StudioFolder) -> None:
        self._folder = folder

    def obey(self, command: FileCommand) -> FileResult | None:
        """Carry out a command.

        Raises:
            DescriptionError: When a file cannot be had, or is not below the folder.
        """
        if isinstance(command, ListFiles):
            return FileList(self._folder.files(command.endings))
        if isinstance(command, ReadFile):
            return FileText(command.file, self._folder.read(command.file)[0])
        self._folder.write(command.file, command.text)
        return None
