"""What has to happen to participants' identities before data leave the clinic."""

import secrets
import string

ALPHABET = string.ascii_uppercase + string.digits


def new_code(taken):
    while True:
        code = "".join(secrets.choice(ALPHABET) for _ in range(8))
        if code not in taken:
            return code


class CodeBook:
    """Gives every participant a code that says nothing about the person."""

    def __init__(self):
        self.codes = {}

    def code(self, participant):
        if participant not in self.codes:
            self.codes[participant] = new_code(set(self.codes.values()))
        return self.codes[participant]

    def apply(self, frame, column="participant"):
        return frame.assign(code=[self.code(p) for p in frame[column]])
