"""How each operation is computed; importing `samebits.exact.operations.all` fills the table."""
