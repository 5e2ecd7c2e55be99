"""How each operation is computed; importing the module `all` of this package fills the table."""
