import hashlib, hmac, re, time

# body: the raw request body, before any JSON parsing.
def verify(secret, header, body, now=None):
    entries = [part.partition("=")[::2] for part in header.split(",")]
    t = next((value for name, value in entries if name == "t"), "")
    now = time.time() if now is None else now
    if not re.fullmatch("[0-9]{1,12}", t) or abs(now - int(t)) > 300:
        return False
    signed = t.encode() + b"." + body
    expected = hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest().encode()
    return any(
        name == "v1" and hmac.compare_digest(value.encode(), expected)
        for name, value in entries
    )
