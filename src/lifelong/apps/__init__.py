"""What a person or another program starts: the command line, and later servers."""
