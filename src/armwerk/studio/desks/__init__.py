"""What answers the views of the studio: commands come in, results go out, nothing is kept."""
