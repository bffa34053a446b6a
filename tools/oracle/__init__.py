"""Models of docs/file-format.md in NumPy and double precision, written from the documents and the papers alone."""
