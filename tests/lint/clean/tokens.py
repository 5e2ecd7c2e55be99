import secrets
import uuid


def session():
    return {"id": str(uuid.uuid4()), "token": secrets.token_hex(16)}
