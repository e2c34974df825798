"""Export: programs in the languages of three makers, with flow, frames, speeds and zones."""
