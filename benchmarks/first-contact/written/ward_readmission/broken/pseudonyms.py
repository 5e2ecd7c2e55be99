"""Patient numbers must not leave this step: only keyed hashes go on.

The key can be set per study with WARD_KEY, so that tables of two studies cannot be joined.
"""
import hashlib
import os
import secrets

KEY = os.environ.get("WARD_KEY", secrets.token_hex(16)).encode()


def pseudonymise(nhs_number):
    return hashlib.blake2b(str(nhs_number).encode(), key=KEY, digest_size=8).hexdigest()
