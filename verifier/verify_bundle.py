#!/usr/bin/env python3
"""Verifies a proof bundle (svc-proof-bundle/1 or /2), a PDF that carries one, or a pledge proof
(svc-pledge-proof/1) offline: Python 3.8 or newer, no packages.

Written from FORMAT.md, independently of verify-bundle.mjs and deliberately with other algorithms:
it checks inclusion proofs by the recursive definition of RFC 6962 and computes Ed25519 itself, as
in RFC 8032. The command line, the exit codes and the names of the checks are the same.

    python3 verify_bundle.py FILE [--trust VKEY|trust.json] [--digest HEX] [--peer OTHER]
                             [--since OLD] [--epochs EPOCHS] [--open OPENING]
                             [--receipts RECEIPTS] [--json]
    python3 verify_bundle.py PLEDGE [--trust VKEY|trust.json] [--digest HEX] [--json]
    python3 verify_bundle.py RECEIPT --receipt [--trust VKEY|trust.json] [--json]
    python3 verify_bundle.py PROOF --consistency OLD NEW [--trust VKEY|trust.json] [--json]

Exit codes: 0 valid; 1 invalid or unreadable; 2 everything is consistent, but without --trust nobody
vouches for the log.
"""

import base64
import hashlib
import json
import re
import sys
import zlib

USAGE = (
    "verify-bundle FILE [--trust VKEY|trust.json] [--digest HEX] [--peer OTHER] [--since OLD]"
    " [--epochs EPOCHS] [--open OPENING] [--receipts RECEIPTS] [--json],"
    " or verify-bundle PLEDGE [--trust VKEY|trust.json] [--digest HEX] [--json],"
    " or verify-bundle PROOF --consistency OLD NEW [--trust VKEY|trust.json] [--json],"
    " or verify-bundle RECEIPT --receipt [--trust VKEY|trust.json] [--json]"
)
MAX_DEPTH = 32
MAX_INTEGER = 2**53 - 1
SLOTS = ("counterparty", "finance", "issuer", "shared")

# The slots that a side reads. The counterparty need not know of a pledge.
SLOTS_OF = {"issuer": ("shared", "issuer", "finance"), "counterparty": ("shared", "counterparty")}


class Failure(Exception):
    """A refused bundle: the name of the check, and the place where it failed."""

    def __init__(self, check, message, seq=None, slot=None):
        super().__init__(message)
        self.check, self.message, self.seq, self.slot = check, message, seq, slot


def require(holds, check, message, seq=None, slot=None):
    if not holds:
        raise Failure(check, message, seq, slot)


def sha256(*parts):
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part.encode("utf-8") if isinstance(part, str) else part)
    return digest.digest()


# -- Canonical JSON: RFC 8785 with integers only ---------------------------------------------------


class NotAnInteger:
    """A number outside of the profile: a fraction, an exponent, NaN, too many digits."""

    def __init__(self, _text):
        pass


def integer(text):
    return int(text) if len(text) <= 20 else NotAnInteger(text)


def canonical_text(value):
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        raise Failure("CANONICAL", "a lone surrogate") from None
    require("\0" not in value, "CANONICAL", "U+0000")
    # The escapes of JSON.stringify: quote, backslash, and everything below U+0020.
    return json.dumps(value, ensure_ascii=False)


def canonical(value, depth=0):
    if value is None:
        return "null"
    if value is True:
        return "true"
    if value is False:
        return "false"
    if isinstance(value, str):
        return canonical_text(value)
    if isinstance(value, int):
        require(abs(value) <= MAX_INTEGER, "CANONICAL", "a number that is no safe integer")
        return str(value)
    require(isinstance(value, (list, dict)), "CANONICAL", "a number that is no safe integer")
    require(depth < MAX_DEPTH, "CANONICAL", "more than 32 levels")
    if isinstance(value, list):
        return "[" + ",".join(canonical(item, depth + 1) for item in value) + "]"
    for key in value:
        canonical_text(key)
    names = sorted(value, key=lambda key: key.encode("utf-16-be"))
    fields = (canonical_text(name) + ":" + canonical(value[name], depth + 1) for name in names)
    return "{" + ",".join(fields) + "}"


STRING_OR_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*(?:"|\Z|\\\Z)|[\[\]{}]', re.DOTALL)


def check_depth(source, check="CANONICAL"):
    depth = 0
    for match in STRING_OR_BRACKET.finditer(source):
        found = match.group()
        if found in "[{":
            depth += 1
            require(depth <= MAX_DEPTH, check, "more than 32 levels")
        elif found in "]}":
            depth -= 1


def no_number(text):
    raise ValueError("no JSON has " + text)


def parse_canonical(data):
    try:
        source = data.decode("utf-8")
    except UnicodeDecodeError:
        raise Failure("JSON", "not UTF-8") from None
    check_depth(source)
    try:
        value = json.loads(
            source,
            parse_int=integer,
            parse_float=NotAnInteger,
            parse_constant=no_number,
        )
    except ValueError:
        raise Failure("JSON", "not JSON") from None
    require(canonical(value) == source, "CANONICAL", "not in canonical form")
    return value


def parse_loose(data, check, message):
    """JSON in any spelling. Numbers become doubles, as in other languages; large ones infinite."""
    try:
        source = data.decode("utf-8")
    except UnicodeDecodeError:
        raise Failure(check, "not UTF-8") from None
    check_depth(source, check)
    try:
        return json.loads(source, parse_int=float, parse_float=float, parse_constant=no_number)
    except ValueError:
        raise Failure(check, message) from None


# -- Ed25519 as RFC 8032 5.1.7 verifies it, on extended coordinates --------------------------------

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
SQRT_OF_MINUS_ONE = pow(2, (P - 1) // 4, P)
NEUTRAL = (0, 1, 1, 0)


def x_of(y, sign):
    """The x of a point, or None when this is not the canonical encoding of one."""
    if y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    if square == 0:
        return None if sign else 0
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P != 0:
        x = x * SQRT_OF_MINUS_ONE % P
    if (x * x - square) % P != 0:
        return None
    return P - x if (x & 1) != sign else x


def add(one, other):
    a = (one[1] - one[0]) * (other[1] - other[0]) % P
    b = (one[1] + one[0]) * (other[1] + other[0]) % P
    c = 2 * one[3] * other[3] * D % P
    d = 2 * one[2] * other[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return (e * f % P, g * h % P, f * g % P, e * h % P)


def multiply(scalar, point):
    result = NEUTRAL
    while scalar:
        if scalar & 1:
            result = add(result, point)
        point = add(point, point)
        scalar >>= 1
    return result


def is_same(one, other):
    same_x = (one[0] * other[2] - other[0] * one[2]) % P == 0
    return same_x and (one[1] * other[2] - other[1] * one[2]) % P == 0


def decompress(encoded):
    number = int.from_bytes(encoded, "little")
    sign, y = number >> 255, number & (2**255 - 1)
    x = x_of(y, sign)
    return None if x is None else (x, y, 1, x * y % P)


BASE_Y = 4 * pow(5, P - 2, P) % P
BASE_X = x_of(BASE_Y, 0)
BASE = (BASE_X, BASE_Y, 1, BASE_X * BASE_Y % P)


def ed25519_verify(key, message, signature):
    if len(signature) != 64:
        return False
    a, r = decompress(key), decompress(signature[:32])
    s = int.from_bytes(signature[32:], "little")
    if a is None or r is None or is_small(r) or s >= ORDER:
        return False
    k = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), "little") % ORDER
    return is_same(multiply(s, BASE), add(r, multiply(k, a)))


def is_small(point):
    """Small order: libraries disagree on whether to accept such points."""
    return is_same(multiply(8, point), NEUTRAL)


def is_weak_key(key):
    """Not the canonical encoding of a point, or a point of small order."""
    point = decompress(key)
    return point is None or is_small(point)


# -- Keys, signed notes, checkpoints ---------------------------------------------------------------


def base64_bytes(text):
    """The bytes of canonical standard base64, else None."""
    try:
        data = base64.b64decode(text, validate=True)
    except ValueError:
        return None
    return data if base64.b64encode(data).decode("ascii") == text else None


def parse_vkey(vkey, kind=1):
    """The key of a log, or of a witness (4)."""
    parts = re.fullmatch(r"([!-*,-~]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)", vkey)
    typed = None if parts is None else base64_bytes(parts[3])
    is_ed25519 = typed is not None and len(typed) == 33 and typed[0] == kind
    require(is_ed25519, "TRUST", "not a verifier key of type Ed25519")
    name, key_id = parts[1], parts[2]
    right_id = sha256(name, "\n", typed).hex()[:8]
    require(right_id == key_id, "TRUST", "the id of the key is wrong")
    require(not is_weak_key(typed[1:]), "TRUST", "a weak key")
    return {"name": name, "id": key_id, "key": typed[1:]}


def is_count(value):
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MAX_INTEGER


def is_size(value):
    """A whole number in any spelling, because a trust file is not canonical."""
    return isinstance(value, float) and value.is_integer() and 0 <= value <= MAX_INTEGER


def read_trust(origin, keys, windows):
    has_keys = isinstance(origin, str) and isinstance(keys, list) and len(keys) > 0
    require(has_keys, "TRUST", "origin and keys are missing")
    require(isinstance(windows, dict), "TRUST", "wrong windows")
    trusted = []
    for vkey in keys:
        require(isinstance(vkey, str), "TRUST", "a key that is no text")
        key = parse_vkey(vkey)
        require(key["name"] == origin, "TRUST", "a key of another log")
        window = windows.get(vkey)
        window = {} if window is None else window
        require(isinstance(window, dict), "TRUST", "a wrong window")
        start, end = window.get("from_size", 0.0), window.get("until_size")
        is_window = is_size(start) and (end is None or is_size(end))
        require(is_window, "TRUST", "a wrong window")
        trusted.append(dict(key, start=start, end=end))
    is_unique = len({key["id"] for key in trusted}) == len(trusted)
    require(is_unique, "TRUST", "a key occurs twice")
    return {"origin": origin, "keys": trusted}


def read_witnesses(log):
    """How many of which witnesses have cosigned every checkpoint from a size on."""
    vkeys, start = log.get("witnesses", []), log.get("witnessed_from_size", 0.0)
    is_list = isinstance(vkeys, list) and all(is_string(one) for one in vkeys)
    require(is_list, "TRUST", "wrong witnesses")
    witnesses = [parse_vkey(vkey, 4) for vkey in vkeys]
    is_other = all(one["name"] != log["origin"] for one in witnesses)
    require(is_other, "TRUST", "a witness with the name of the log")
    is_unique = len({one["key"] for one in witnesses}) == len(witnesses)
    require(is_unique, "TRUST", "a witness occurs twice")
    quorum = log.get("quorum", None if witnesses else 0.0)
    is_rule = is_size(quorum) and quorum <= len(witnesses) and is_size(start)
    require(is_rule, "TRUST", "a wrong quorum")
    by_line = {(one["name"], one["id"]): one["key"] for one in witnesses}
    return {"witnesses": by_line, "quorum": quorum, "witnessed_from": start}


def is_signing_key(value):
    """The public key of a party: canonical base64 of 32 bytes that are no weak key."""
    data = base64_bytes(value) if is_string(value) else None
    return data is not None and len(data) == 32 and not is_weak_key(data)


def read_parties(value):
    """The keys of parties: {"org_...": {"keys": [base64], "required": [type of event]}}."""
    require(isinstance(value, dict), "TRUST", "wrong parties")
    parties = {}
    for organization, party in value.items():
        is_party = is_id(organization, "org") and isinstance(party, dict)
        keys, required = (party.get("keys"), party.get("required", [])) if is_party else (None, [])
        has_keys = isinstance(keys, list) and keys and all(is_signing_key(key) for key in keys)
        has_types = isinstance(required, list) and all(is_type(one) for one in required)
        require(has_keys and has_types, "TRUST", "a wrong party")
        parties[organization] = {"keys": keys, "required": required}
    return parties


def read_trust_file(value):
    """The logs of a trust file, by origin: one, or a list of them as {"logs": [...]}."""
    require(isinstance(value, dict), "TRUST", "not a trust file")
    logs = value["logs"] if "logs" in value else [value]
    is_list = isinstance(logs, list) and len(logs) > 0 and all(isinstance(one, dict) for one in logs)
    require(is_list, "TRUST", "not a list of logs")
    trusted = {}
    for log in logs:
        read = read_trust(log.get("origin"), log.get("keys"), log.get("windows", {}))
        read.update(read_witnesses(log))
        require(read["origin"] not in trusted, "TRUST", "a log occurs twice")
        trusted[read["origin"]] = read
    return trusted


CONTROL = re.compile("[\u0000-\u0009\u000b-\u001f\u007f]")


def parse_note(note):
    end = note.rfind("\n\n")
    is_note = end > 0 and note.endswith("\n") and CONTROL.search(note) is None
    require(is_note, "NOTE", "not a signed note")
    lines = note[end + 2 : -1].split("\n")
    require(len(lines) <= 100, "NOTE", "too many signatures")
    signatures = []
    for line in lines:
        parts = re.fullmatch(r"— ([!-*,-~]+) ([A-Za-z0-9+/]+={0,2})", line)
        data = None if parts is None else base64_bytes(parts[2])
        require(data is not None and len(data) >= 5, "NOTE", "not a signature line")
        signatures.append((parts[1], data[:4].hex(), data[4:]))
    return {"body": note[: end + 1], "signatures": signatures}


def check_lines(parsed, origin):
    """A note of a log has lines of that log only, in ascending order of their key ids."""
    ids = [key_id for _, key_id, _ in parsed["signatures"]]
    is_right = (
        all(name == origin and len(data) == 64 for name, _, data in parsed["signatures"])
        and sorted(set(ids)) == ids
    )
    require(is_right, "NOTE", "not the signature lines of this log")


def size_of(line):
    is_size = re.fullmatch(r"0|[1-9][0-9]{0,15}", line) is not None and int(line) <= MAX_INTEGER
    require(is_size, "NOTE", "not a size")
    return int(line)


def parse_checkpoint(note):
    parsed = parse_note(note)
    lines = parsed["body"].split("\n")
    is_shaped = len(lines) == 4 and lines[3] == "" and re.fullmatch(r"[!-*,-~]+", lines[0])
    root = base64_bytes(lines[2]) if is_shaped else None
    require(root is not None and len(root) == 32, "NOTE", "not a checkpoint")
    own, foreign = list(parsed["signatures"]), []
    while own and own[-1][0] != lines[0]:
        foreign.insert(0, own.pop())
    check_lines({"signatures": own}, lines[0])
    places = [(name, key_id) for name, key_id, _ in foreign]
    require(sorted(set(places)) == places, "NOTE", "not lines of witnesses")
    parsed.update(signatures=own, cosignatures=foreign)
    return dict(parsed, origin=lines[0], size=size_of(lines[1]), root=root)


TIME = r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z"
HEAD = re.compile(
    r"svc-head/([12]) ([!-*,-~]+)\n([0-9a-f]{64}) (\S+) ([0-9a-f]{64})\n(\S+)\n("
    + TIME
    + r")\n(?:(\S+)\n)?"
)


def parse_head(note, version):
    """Version 2 names the size that decides which keys sign the note."""
    parsed = parse_note(note)
    parts = HEAD.fullmatch(parsed["body"])
    require(parts is not None, "NOTE", "not a head note")
    is_version = parts[1] == version and (parts[8] is not None) == (version == "2")
    require(is_version, "NOTE", "not a head note")
    check_lines(parsed, parts[2])
    size = size_of(parts[6])
    key_size = size if parts[8] is None else size_of(parts[8])
    require(key_size >= size, "NOTE", "a head note signed before its size")
    return dict(
        parsed,
        origin=parts[2],
        stream=parts[3],
        seq=size_of(parts[4]),
        hash=parts[5],
        size=size,
        as_of=parts[7],
        key_size=key_size,
    )


def is_in_force(key, size):
    return key["start"] <= size and (key["end"] is None or size < key["end"])


def check_signatures(note, size, log):
    """The lines of exactly those keys that are in force at this size, all of them valid."""
    keys = {(key["name"], key["id"]): key for key in log["keys"]}
    for name, key_id, signature in note["signatures"]:
        key = keys.pop((name, key_id), None)
        require(key is not None, "SIGNATURE", name + " " + key_id + " is not a trusted key")
        is_right = ed25519_verify(key["key"], note["body"].encode("utf-8"), signature)
        require(is_right, "SIGNATURE", "the signature of " + name + " is wrong")
        message = "signed with a key that was not in force at that size of the log"
        require(is_in_force(key, size), "KEY_WINDOW", message)
    for (name, key_id), key in keys.items():
        message = "the signature of " + name + " " + key_id + " is missing"
        require(not is_in_force(key, size), "SIGNATURE", message)


def check_witnesses(checkpoint, log):
    """The lines of trusted witnesses are valid and enough. Others may be there as well."""
    count = 0
    for name, key_id, data in checkpoint["cosignatures"]:
        key = log.get("witnesses", {}).get((name, key_id))
        if key is None:
            continue
        seconds = int.from_bytes(data[:8], "big")
        message = "cosignature/v1\ntime %d\n%s" % (seconds, checkpoint["body"])
        is_timed = len(data) == 72 and seconds < 2**63
        is_right = is_timed and ed25519_verify(key, message.encode("utf-8"), data[8:])
        require(is_right, "WITNESS", "the cosignature of " + name + " is wrong")
        count += 1
    is_enough = checkpoint["size"] < log.get("witnessed_from", 0) or count >= log.get("quorum", 0)
    require(is_enough, "WITNESS", "too few witnesses have cosigned")


# -- The shape of a bundle -------------------------------------------------------------------------


def is_hex(value, length):
    return isinstance(value, str) and re.fullmatch("[0-9a-f]{%d}" % length, value) is not None


def is_id(value, prefix):
    pattern = prefix + "_[0-7][0-9a-hjkmnp-tv-z]{25}"
    return isinstance(value, str) and re.fullmatch(pattern, value) is not None


def has_fields(value, *names):
    return isinstance(value, dict) and set(value) == set(names)


def is_body(value):
    return value is None or isinstance(value, dict)


COMMITMENTS = {
    "svc-event/1": ("counterparty", "issuer", "shared"),
    "svc-event/2": SLOTS,
}
VERSIONS = {
    "svc-proof-bundle/1": ("svc-event/1",),
    "svc-proof-bundle/2": ("svc-event/1", "svc-event/2"),
}


def is_header(value, versions):
    if not has_fields(value, "at", "c", "prev", "seq", "stream", "v"):
        return False
    if not isinstance(value["v"], str) or value["v"] not in versions:
        return False
    return (
        isinstance(value["at"], str)
        and re.fullmatch(TIME, value["at"]) is not None
        and has_fields(value["c"], *COMMITMENTS[value["v"]])
        and all(is_hex(one, 64) for one in value["c"].values())
        and (value["prev"] is None or is_hex(value["prev"], 64))
        and is_count(value["seq"])
        and value["seq"] > 0
        and is_hex(value["stream"], 64)
    )


def is_opening(value):
    return has_fields(value, "body", "salt") and is_body(value["body"]) and is_hex(value["salt"], 32)


def is_log(value):
    return (
        has_fields(value, "index", "path")
        and is_count(value["index"])
        and isinstance(value["path"], list)
        and all(is_hex(node, 64) for node in value["path"])
    )


def is_event(value, versions):
    if not has_fields(value, "header", "log", "open"):
        return False
    header, opened = value["header"], value["open"]
    return (
        is_header(header, versions)
        and is_log(value["log"])
        and isinstance(opened, dict)
        and all(slot in header["c"] and is_opening(opened[slot]) for slot in opened)
    )


def is_document(value):
    return (
        has_fields(value, "id", "state", "stream_salt")
        and is_id(value["id"], "doc")
        and isinstance(value["state"], dict)
        and is_hex(value["stream_salt"], 32)
    )


def is_viewer(value):
    return (
        has_fields(value, "organization_id", "role")
        and is_id(value["organization_id"], "org")
        and value["role"] in ("issuer", "counterparty")
    )


def is_string(value):
    return isinstance(value, str)


def check_fields(value, fields):
    require(isinstance(value, dict), "SHAPE", "not an object")
    for name, holds in fields.items():
        is_right = name in value and holds(value[name])
        require(is_right, "SHAPE", name + " is not as it must be")
    require(len(value) == len(fields), "SHAPE", "a field that is not known")


def check_shape(bundle):
    given = bundle.get("format") if isinstance(bundle, dict) else None
    is_known = not isinstance(given, str) or given in VERSIONS
    require(is_known, "FORMAT", "a format that this verifier does not know")
    versions = VERSIONS[given] if isinstance(given, str) else ()

    def is_events(value):
        return isinstance(value, list) and value and all(is_event(one, versions) for one in value)

    fields = {
        "checkpoint": is_string,
        "document": is_document,
        "events": is_events,
        "format": is_string,
        "head": is_string,
        "viewer": is_viewer,
    }
    check_fields(bundle, fields)


# -- Events ----------------------------------------------------------------------------------------


def commitment(salt, body):
    return sha256("svc-slot/1\n", bytes.fromhex(salt), canonical(body)).hex()


def check_chain(stream, events):
    hashes, before = [], None
    for position, event in enumerate(events, 1):
        header = event["header"]
        is_own = header["stream"] == stream
        require(is_own, "STREAM", "an event of another document", position)
        prev = hashes[-1].hex() if hashes else None
        is_next = header["seq"] == position and header["prev"] == prev
        require(is_next, "CHAIN", "the chain is broken", position)
        is_newer = position == 1 or header["v"] >= events[position - 2]["header"]["v"]
        require(is_newer, "CHAIN", "an older form of event", position)
        is_later = before is None or header["at"] >= before
        require(is_later, "ORDER", "time runs backwards", position)
        before = header["at"]
        hashes.append(sha256(b"\0", canonical(header)))
    return hashes


def check_openings(events, role):
    for event in events:
        foreign = set(event["open"]) - set(SLOTS_OF[role])
        seq = event["header"]["seq"]
        require(not foreign, "ROLE", "an opening of the other side", seq)
    check_commitments(events)


def check_commitments(events):
    for event in events:
        for slot, opening in event["open"].items():
            is_right = commitment(opening["salt"], opening["body"]) == event["header"]["c"][slot]
            message = "the opening does not match its commitment"
            require(is_right, "COMMITMENT", message, event["header"]["seq"], slot)


def body_of(event, slot):
    opening = event["open"].get(slot)
    return {} if opening is None or opening["body"] is None else opening["body"]


def is_type(value):
    pattern = r"[a-z0-9_]+(\.[a-z0-9_]+)*"
    return is_string(value) and len(value) <= 64 and re.fullmatch(pattern, value) is not None


def is_signature(value):
    if not has_fields(value, "base", "value"):
        return False
    data = base64_bytes(value["value"]) if is_string(value["value"]) else None
    is_base = is_string(value["base"]) and parse_base(value["base"]) is not None
    return is_base and data is not None and len(data) == 64


def is_parties(value):
    return has_fields(value, "counterparty", "issuer") and all(
        is_id(value[side], "org") for side in ("counterparty", "issuer")
    )


def is_erasures(value, seq):
    """Events before this one, in ascending order."""
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        return False
    seqs = [one.get("seq") for one in value]
    if not all(is_count(one) and 0 < one < seq for one in seqs):
        return False
    return sorted(set(seqs)) == seqs


def is_finance(value):
    if not has_fields(value, "balance_due", "due_date", "pledge", "status"):
        return False
    balance, due = value["balance_due"], value["due_date"]
    return (
        is_string(balance)
        and re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?", balance) is not None
        and (due is None or is_string(due))
        and (due is None or re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}", due) is not None)
        and is_body(value["pledge"])
        and is_string(value["status"])
    )


def check_body(body, seq, slot):
    if slot == "finance":
        is_right = is_finance(body)
    else:
        fields = {
            "erased": lambda value: is_erasures(value, seq),
            "parties": is_parties,
            "request": is_string,
            "set": lambda value: isinstance(value, dict),
            "signature": is_signature,
            "state": lambda value: is_hex(value, 64),
            "type": is_type,
        }
        is_right = all(holds(body[name]) for name, holds in fields.items() if name in body)
    require(is_right, "SHAPE", "a body is not as it must be", seq, slot)


def check_nothing_withheld(events, role):
    """Everything that this side reads is open, except what was erased, which is returned."""
    for slot in SLOTS_OF[role]:
        for event in events:
            opening = event["open"].get(slot)
            if opening is not None and opening["body"] is not None:
                check_body(opening["body"], event["header"]["seq"], slot)
    missing = []
    for slot in SLOTS_OF[role]:
        erased = erased_in(events, slot)
        for event in events:
            if slot not in event["header"]["c"] or slot in event["open"]:
                continue
            seq = event["header"]["seq"]
            require(seq in erased, "WITHHELD", "an opening is missing", seq, slot)
            missing.append({"seq": seq, "slot": slot})
    return missing


def erased_in(events, slot):
    """The seqs whose body in this slot was erased later, by erasures, which restate it."""
    seqs = set()
    for event in events:
        body = body_of(event, slot)
        if is_erasing(body_of(event, "shared")) or is_erasing(body):
            seqs.update(one["seq"] for one in body.get("erased", []))
    return seqs


def is_erasing(body):
    return body.get("type") == "content.erased"


def fold(state, shared, both, own):
    """One step of the replay. An erasure starts again with what remains."""
    shared = {} if is_erasing(both) else dict(shared)
    state = {} if is_erasing(both) or is_erasing(own) else dict(state)
    shared.update(both.get("set", {}))
    state.update(both.get("set", {}))
    state.update(own.get("set", {}))
    return state, shared


def replay(events, role):
    state, shared, is_whole = {}, {}, True
    for event in events:
        both, own, seq = body_of(event, "shared"), body_of(event, role), event["header"]["seq"]
        state, shared = fold(state, shared, both, own)
        # The debtor does not see a pledge that is not disclosed, so the issuer has one of its own.
        is_own = not set(own.get("set", {})) & (set(shared) - {"pledge"})
        require(is_own, "REPLAY", "a slot of one side changes what both share", seq, role)
        if "state" in both:
            is_right = sha256(canonical(shared)).hex() == both["state"]
            require(is_right, "REPLAY", "the state is not what the event says", seq, "shared")
        # The slot for lenders agrees with the state wherever nothing was erased before.
        is_restart = is_erasing(both) or is_erasing(own)
        is_open = "shared" in event["open"] and role in event["open"]
        is_whole = (is_whole or is_restart) and is_open
        finance = body_of(event, "finance") if role == "issuer" and is_whole else {}
        is_same = all(
            canonical(finance[name]) == canonical(state.get(name)) for name in sorted(finance)
        )
        require(is_same, "REPLAY", "the slot for lenders says something else", seq, "finance")
    return state


def check_role(events, viewer, state):
    role, organization = viewer["role"], viewer["organization_id"]
    party = state.get(role)
    is_party = isinstance(party, dict) and party.get("organization_id") == organization
    require(is_party, "ROLE", "the viewer is not who the record says")
    for event in events:
        parties = body_of(event, "shared").get("parties")
        is_right = parties is None or parties.get(role) == organization
        seq = event["header"]["seq"]
        require(is_right, "ROLE", "the viewer is not who the record says", seq)


# -- Requests that a party signed: RFC 9421 --------------------------------------------------------


def is_content_digest(value):
    parts = re.fullmatch(r"sha-256=:([A-Za-z0-9+/=]+):", value)
    data = None if parts is None else base64_bytes(parts[1])
    return data is not None and len(data) == 32


COMPONENTS = {
    "@method": lambda value: re.fullmatch("[A-Z]+", value),
    "@path": lambda value: value[:1] == "/",
    "@query": lambda value: value[:1] == "?",
    "content-digest": is_content_digest,
    "idempotency-key": lambda value: True,
    "if-match": lambda value: True,
    "svc-dry-run": lambda value: True,
}
PARAMETERS = {"alg": str, "created": int, "expires": int, "keyid": str, "nonce": str, "tag": str}
PRINTABLE = re.compile("[ -~]*")


def parse_parameters(text):
    """The text after the list of components, as a dictionary; None if it is malformed."""
    found = {}
    while text:
        parts = re.match(r';([a-z]+)=(?:"([ !#-\[\]-~]*)"|(0|[1-9][0-9]{0,14})(?=;|\Z))', text)
        if parts is None or parts[1] in found or parts[1] not in PARAMETERS:
            return None
        if (parts[2] is None) != (PARAMETERS[parts[1]] is int):
            return None
        found[parts[1]] = parts[2]
        text = text[parts.end() :]
    is_whole = "created" in found and "keyid" in found
    return found if is_whole and found.get("alg", "ed25519") == "ed25519" else None


def parse_base(text):
    """The signed text of RFC 9421 2.5: its components by name, and the id of the key."""
    components, names, lines = {}, [], text.split("\n")
    for line in lines[:-1]:
        name, mark, value = line.partition('": ')
        name = name[1:] if mark and name[:1] == '"' else ""
        if name not in COMPONENTS or name in components or not PRINTABLE.fullmatch(value):
            return None
        if not COMPONENTS[name](value):
            return None
        components[name] = value
        names.append('"' + name + '"')
    start = '"@signature-params": (' + " ".join(names) + ")"
    is_whole = {"@method", "@path", "idempotency-key"} <= set(components)
    if not is_whole or not lines[-1].startswith(start):
        return None
    parameters = parse_parameters(lines[-1][len(start) :])
    return None if parameters is None else (components, parameters["keyid"])


def telling_slot(event):
    """The slot that says who made a change: `shared`, and of a draft the issuer's."""
    opening = event["open"].get("shared")
    return "issuer" if opening is not None and opening["body"] is None else "shared"


def check_parties(events, document_id, role, state, parties):
    """Each signature is that of the party that the event names, and of a request for it."""
    signed, unsigned, bases = [], [], set()
    for event in events:
        seq, slot = event["header"]["seq"], telling_slot(event)
        for other in SLOTS_OF[role]:
            is_place = other == slot or "signature" not in body_of(event, other)
            require(is_place, "PARTY", "a signature in a wrong slot", seq)
        body, own = body_of(event, slot), body_of(event, role)
        actor = body.get("actor")
        organization = actor.get("organization_id") if isinstance(actor, dict) else None
        organization = organization if is_string(organization) else None
        party = parties.get(organization)
        if "signature" not in body:
            is_right = slot not in event["open"] or "request" not in own
            require(is_right, "PARTY", "a request without signature", seq)
            if party is not None:
                is_free = body.get("type") not in party["required"]
                require(is_free, "PARTY", "the signature of the party is missing", seq)
                unsigned.append({"seq": seq, "organization_id": organization})
            continue
        side = side_of(state, organization)
        is_party = side is not None and actor.get("kind") == "api_key"
        require(is_party, "PARTY", "a signature of nobody", seq)
        base = body["signature"]["base"]
        components, keyid = parse_base(base)
        require(base not in bases, "PARTY", "the signature of another event", seq)
        bases.add(base)
        is_signed = is_signing_key(keyid) and ed25519_verify(
            base64_bytes(keyid), base.encode("ascii"), base64_bytes(body["signature"]["value"])
        )
        require(is_signed, "PARTY", "the signature of the party is wrong", seq)
        is_trusted = party is None or keyid in party["keys"]
        require(is_trusted, "PARTY", "not a trusted key of the party", seq)
        is_asked = asks_for(components, body.get("type"), document_id)
        require(is_asked, "PARTY", "the request asks for something else", seq)
        if role == side:
            check_request(components, body, own.get("request"), side in event["open"], seq)
        entry = {"seq": seq, "organization_id": organization, "key": keyid}
        signed.append(dict(entry, pinned=party is not None))
    return signed, unsigned


def side_of(state, organization):
    for side in ("issuer", "counterparty"):
        party = state.get(side)
        is_named = isinstance(party, dict) and party.get("organization_id") == organization
        if organization is not None and is_named:
            return side
    return None


def asks_for(components, kind, document_id):
    method, path = components["@method"], components["@path"]
    if kind == "document.created":
        pattern = "/v1/documents(/import|/doc_[0-7][0-9a-hjkmnp-tv-z]{25}/convert)?"
        return method == "POST" and re.fullmatch(pattern, path) is not None
    start = "/v1/documents/" + document_id
    if not path.startswith(start):
        return False
    rest = path[len(start) :]
    if kind == "document.edited":
        return (method, rest) == ("PATCH", "")
    if kind == "document.issued":
        return (method, rest) == ("POST", "/issue")
    if kind == "attachment.added":
        return (method, rest) == ("POST", "/attachments")
    return method == "POST" and rest[:1] == "/" and rest not in ("/issue", "/attachments")


def check_request(components, body, request, is_open, seq):
    """The party itself has the body of its request, unless it was erased."""
    digest = components.get("content-digest")
    if body.get("type") == "attachment.added":
        is_form = digest is not None and request is None
        require(is_form, "PARTY", "the form of the file is not signed", seq)
        return
    if not is_open:
        return
    sent = ("" if request is None else request).encode("utf-8")
    expected = "sha-256=:" + base64.b64encode(sha256(sent)).decode("ascii") + ":"
    is_digest = digest == expected or (digest is None and not sent)
    require(is_digest, "PARTY", "the request is not the one that was signed", seq)
    status = body.get("set", {}).get("status")
    if not components["@path"].endswith("/transition") or "status" not in body.get("set", {}):
        return
    asked = parse_loose(sent, "PARTY", "the request is not JSON")
    to = asked.get("to") if isinstance(asked, dict) else None
    is_moved = to is not None and to == status or (to, status) == ("paid", "payment_scheduled")
    require(is_string(to) and is_moved, "PARTY", "the request asks for another status", seq)


# -- Inclusion, by the recursive definition of RFC 6962 2.1.1 --------------------------------------


def root_of(leaf, index, size, path):
    """MTH of the tree with `leaf` at `index`; `path` holds its siblings, lowest first."""
    if size == 1:
        return leaf if not path else None
    if not path:
        return None
    split = 1 << (size - 1).bit_length() - 1
    if index < split:
        left, right = root_of(leaf, index, split, path[:-1]), path[-1]
    else:
        left, right = path[-1], root_of(leaf, index - split, size - split, path[:-1])
    return None if left is None or right is None else sha256(b"\1", left, right)


def check_leaf(leaf, log, checkpoint, seq=None):
    path = [bytes.fromhex(node) for node in log["path"]]
    size = checkpoint["size"]
    is_short = log["index"] < size and len(path) <= 64
    root = root_of(leaf, log["index"], size, path) if is_short else None
    message = "the event is not in the log at that place"
    require(root == checkpoint["root"], "INCLUSION", message, seq)


def check_inclusion(events, hashes, checkpoint):
    before = -1
    for event, leaf in zip(events, hashes):
        seq, index = event["header"]["seq"], event["log"]["index"]
        require(index > before, "ORDER", "the log runs backwards", seq)
        before = index
        check_leaf(leaf, event["log"], checkpoint, seq)


# -- Consistency, by the recursive definition of RFC 6962 2.1.2 ------------------------------------


def roots_of(older, size, proof, is_whole, older_root):
    """The roots that SUBPROOF leads to, of the older tree and of the newer one; None if wrong."""
    if older == size:
        if is_whole:
            return None if proof else (older_root, older_root)
        return (proof[0], proof[0]) if len(proof) == 1 else None
    if not proof:
        return None
    split = 1 << (size - 1).bit_length() - 1
    if older <= split:
        below = roots_of(older, split, proof[:-1], is_whole, older_root)
        return None if below is None else (below[0], sha256(b"\1", below[1], proof[-1]))
    below = roots_of(older - split, size - split, proof[:-1], False, older_root)
    if below is None:
        return None
    return sha256(b"\1", proof[-1], below[0]), sha256(b"\1", proof[-1], below[1])


def is_consistent(older, size, older_root, root, proof):
    if older > size or len(proof) > 64:
        return False
    if older == 0 and size > 0:
        return not proof and older_root == sha256(b"")
    if older == size:
        return not proof and older_root == root
    return roots_of(older, size, proof, True, older_root) == (older_root, root)


# -- The whole bundle ------------------------------------------------------------------------------


def check_signed(note, size, trust):
    """Nobody vouches for a log if no keys were given."""
    if trust is None:
        return
    origin = note["origin"]
    require(origin in trust, "ORIGIN", "no key of " + origin + " is trusted")
    check_signatures(note, size, trust[origin])
    if "cosignatures" in note:
        check_witnesses(note, trust[origin])


def check_head(head, stream, hashes, checkpoint):
    is_head = (head["stream"], head["seq"], head["hash"], head["size"]) == (
        stream,
        len(hashes),
        hashes[-1].hex(),
        checkpoint["size"],
    )
    require(is_head, "HEAD", "the head note is not about the last event of this bundle")


def parse_given(data, digest=None):
    is_same_digest = digest is None or sha256(data).hex() == digest
    require(is_same_digest, "DIGEST", "another digest")
    return parse_canonical(data)


def verify_bundle(data, trust=None, digest=None, parties=None):
    return check_bundle(parse_given(data, digest), trust, parties)


def check_bundle(bundle, trust, parties):
    check_shape(bundle)
    document, events, viewer = bundle["document"], bundle["events"], bundle["viewer"]
    checkpoint = parse_checkpoint(bundle["checkpoint"])
    head = parse_head(bundle["head"], bundle["format"][-1])
    is_one_log = head["origin"] == checkpoint["origin"]
    require(is_one_log, "ORIGIN", "the head note is of another log")
    check_signed(checkpoint, checkpoint["size"], trust)
    check_signed(head, head["key_size"], trust)
    stream = stream_of(document["stream_salt"], document["id"])
    hashes = check_chain(stream, events)
    check_openings(events, viewer["role"])
    erased = check_nothing_withheld(events, viewer["role"])
    state = replay(events, viewer["role"])
    is_state = canonical(state) == canonical(document["state"])
    require(is_state, "REPLAY", "the state is another")
    check_role(events, viewer, state)
    known = {} if parties is None else parties
    party_events = check_parties(events, document["id"], viewer["role"], state, known)
    check_inclusion(events, hashes, checkpoint)
    check_head(head, stream, hashes, checkpoint)
    return {
        "bundle": bundle,
        "events": events,
        "checkpoint": checkpoint,
        "head": head,
        "stream": stream,
        "hashes": [one.hex() for one in hashes],
        "erased": erased,
        "signed": party_events[0],
        "unsigned": party_events[1],
    }


def stream_of(salt, document_id):
    return sha256("svc-stream/1\n", bytes.fromhex(salt), document_id).hex()


# -- The proof of a pledge: what a lender learns of an invoice -------------------------------------


PLEDGE_FORMAT = "svc-pledge-proof/1"


def is_invoice(value):
    return (
        has_fields(value, "checkpoint", "document_id", "events", "head", "stream_salt")
        and is_string(value["checkpoint"])
        and is_id(value["document_id"], "doc")
        and isinstance(value["events"], list)
        and len(value["events"]) > 0
        and all(is_event(one, ("svc-event/2",)) for one in value["events"])
        and is_string(value["head"])
        and is_hex(value["stream_salt"], 32)
    )


PLEDGE_FIELDS = {
    "agreement": lambda value: isinstance(value, dict),
    "format": lambda value: value == PLEDGE_FORMAT,
    "invoice": is_invoice,
}


def check_pledge(proof, trust, parties):
    check_fields(proof, PLEDGE_FIELDS)
    agreement, invoice = check_bundle(proof["agreement"], trust, parties), proof["invoice"]
    events = invoice["events"]
    checkpoint, head = parse_checkpoint(invoice["checkpoint"]), parse_head(invoice["head"], "2")
    is_one_log = head["origin"] == checkpoint["origin"]
    require(is_one_log, "ORIGIN", "the head note is of another log")
    check_signed(checkpoint, checkpoint["size"], trust)
    check_signed(head, head["key_size"], trust)
    is_one_log = checkpoint["origin"] == agreement["checkpoint"]["origin"]
    require(is_one_log, "ORIGIN", "two logs")
    is_one_tree = same_roots(checkpoint, agreement["checkpoint"])
    require(is_one_tree, "SPLIT_VIEW", "two logs of one size")
    stream = stream_of(invoice["stream_salt"], invoice["document_id"])
    hashes = check_chain(stream, events)
    for event in events:
        is_own = set(event["open"]) <= {"finance"}
        require(is_own, "ROLE", "an opening of a party", event["header"]["seq"])
    check_commitments(events)
    for event in events:
        opening = event["open"].get("finance")
        if opening is not None and opening["body"] is not None:
            check_body(opening["body"], event["header"]["seq"], "finance")
    states = [body_of(event, "finance") for event in events]
    own = pinned_pledge(agreement, invoice["document_id"], stream, hashes, states)
    agreement_id = states[own - 1]["pledge"]["agreement_id"]
    end = end_of_pledge(states, agreement_id)
    for position, event in enumerate(events, 1):
        is_open = "finance" in event["open"]
        require(is_open or position > end, "WITHHELD", "an opening is missing", position, "finance")
        is_closed = not is_open or position <= end
        require(is_closed, "ROLE", "an opening after the pledge", position, "finance")
    earlier = check_pledges(states[:end], own, agreement_id)
    check_inclusion(events, hashes, checkpoint)
    check_head(head, stream, hashes, checkpoint)
    unapproved = [i for i in range(own) if states[i].get("status") != "approved"]
    approved = events[unapproved[-1] + 1 if unapproved else 0]["header"]
    last = states[end - 1]
    return {
        "agreement": agreement,
        "checkpoint": checkpoint,
        "head": head,
        "invoice_id": invoice["document_id"],
        "agreement_id": agreement_id,
        "approved": {"seq": approved["seq"], "at": approved["at"]},
        "recorded": {
            "seq": own,
            "at": events[own - 1]["header"]["at"],
            "balance_due": states[own - 1]["balance_due"],
            "due_date": states[own - 1]["due_date"],
        },
        "earlier": earlier,
        "now": {
            "balance_due": last["balance_due"],
            "status": last["status"],
            "pledge": last["pledge"]["status"],
            "since": last["pledge"]["since"],
        },
    }


def pinned_pledge(agreement, document_id, stream, hashes, states):
    """The seq of the event of the invoice that the agreement pins; it recorded the pledge."""
    bodies = [body_of(event, "shared") for event in agreement["events"]]
    found = [body["finance"] for body in bodies if "finance" in body]
    is_agreement = len(found) == 1 and isinstance(found[0], dict)
    require(is_agreement, "PLEDGE", "not the bundle of an agreement")
    authorization, pin = found[0].get("authorization"), found[0].get("secured_by")
    promised = authorization.get("pledge") if isinstance(authorization, dict) else None
    is_pin = (
        has_fields(pin, "hash", "seq", "stream")
        and is_hex(pin["hash"], 64)
        and is_count(pin["seq"])
        and is_hex(pin["stream"], 64)
    )
    is_secured = isinstance(promised, dict) and is_pin
    require(is_secured, "PLEDGE", "an agreement without a pledge")
    digest = "sha256:" + sha256(canonical(authorization)).hex()
    require(found[0].get("digest") == digest, "PLEDGE", "another authorization")
    is_invoice_of = promised.get("document_id") == document_id and pin["stream"] == stream
    require(is_invoice_of, "PLEDGE", "another invoice")
    seq = pin["seq"]
    is_pinned = 1 <= seq <= len(hashes) and hashes[seq - 1].hex() == pin["hash"]
    require(is_pinned, "PLEDGE", "not the event that is pinned")
    state = states[seq - 1]
    is_recorded = is_pledge(state.get("pledge")) and state["pledge"]["status"] == "recorded"
    require(is_recorded, "PLEDGE", "no pledge", seq)
    is_approved = state["status"] == "approved"
    require(is_approved, "PLEDGE", "an invoice that was not approved", seq)
    is_same_day = state["due_date"] is not None and state["due_date"] == promised.get("due_date")
    require(is_same_day, "PLEDGE", "another due date than was authorized", seq)
    return seq


def is_pledge(value):
    return (
        has_fields(value, "agreement_id", "since", "status")
        and is_id(value["agreement_id"], "agr")
        and is_string(value["since"])
        and re.fullmatch(TIME, value["since"]) is not None
        and value["status"] in ("recorded", "assigned", "released")
    )


def end_of_pledge(states, agreement_id):
    """The seq of the event that released the pledge, else of the last event."""
    for seq, state in enumerate(states, 1):
        pledge = state.get("pledge")
        if pledge and pledge.get("agreement_id") == agreement_id:
            if pledge.get("status") == "released":
                return seq
    return len(states)


def check_pledges(states, own, agreement_id):
    """One pledge at a time, each recorded, perhaps assigned, and released before the next."""
    pledges = [state.get("pledge") for state in states]
    steps = [
        (seq, pledge)
        for seq, pledge in enumerate(pledges, 1)
        if canonical(pledge) != (canonical(pledges[seq - 2]) if seq > 1 else "null")
    ]
    before, recorded = None, {}
    for seq, pledge in steps:
        require(is_pledge(pledge), "PLEDGE", "a pledge that vanishes, or is malformed", seq)
        name, status = pledge["agreement_id"], pledge["status"]
        if status == "recorded":
            is_free = before is None or before["status"] == "released"
            require(is_free and name not in recorded, "PLEDGE", "a second pledge", seq)
            is_place = (name == agreement_id) == (seq == own)
            require(is_place, "PLEDGE", "recorded at another event", seq)
            recorded[name] = seq
        else:
            follows = {"assigned": ("recorded",), "released": ("recorded", "assigned")}[status]
            is_next = (
                before is not None
                and before["agreement_id"] == name
                and before["status"] in follows
            )
            require(is_next, "PLEDGE", "a pledge that moves otherwise", seq)
        before = pledge
    return sum(1 for seq in recorded.values() if seq < own)


# -- Two bundles -----------------------------------------------------------------------------------


def same_hash(one, other, position):
    return one["hashes"][position] == other["hashes"][position]


def same_index(one, other, position):
    indexes = [bundle["events"][position]["log"]["index"] for bundle in (one, other)]
    return indexes[0] == indexes[1]


def same_roots(one, other):
    return one["size"] != other["size"] or one["root"] == other["root"]


def check_head_was_true(shorter, longer, check):
    """A head note that omits an event of its log proves fraud."""
    beyond = longer["events"][len(shorter["events"]) :]
    is_true = not beyond or beyond[0]["log"]["index"] >= shorter["checkpoint"]["size"]
    message = "a head was signed although a later event was in the log"
    require(is_true, check, message, beyond[0]["header"]["seq"] if beyond else None)


def check_peer(one, other):
    require(one["stream"] == other["stream"], "SPLIT_VIEW", "a bundle of another document")
    is_one_log = one["checkpoint"]["origin"] == other["checkpoint"]["origin"]
    require(is_one_log, "SPLIT_VIEW", "a bundle from another log")
    shorter, longer = sorted((one, other), key=lambda bundle: len(bundle["events"]))
    for position in range(len(shorter["events"])):
        is_same = same_hash(one, other, position) and same_index(one, other, position)
        require(is_same, "SPLIT_VIEW", "the parties were shown two histories", position + 1)
    check_head_was_true(shorter, longer, "SPLIT_VIEW")
    is_one_tree = same_roots(one["checkpoint"], other["checkpoint"])
    require(is_one_tree, "SPLIT_VIEW", "two logs of one size")


def check_since(now, old, epochs):
    require(now["stream"] == old["stream"], "ROLLBACK", "a bundle of another document")
    is_one_log = now["checkpoint"]["origin"] == old["checkpoint"]["origin"]
    if not is_one_log:
        check_epoch_of(old, now, epochs)
    is_whole = len(now["events"]) >= len(old["events"])
    require(is_whole, "ROLLBACK", "events are missing", len(now["events"]) + 1)
    for position in range(len(old["events"])):
        is_there = not is_one_log or same_index(now, old, position)
        message = "an event is another, or at another place of the log"
        require(is_there and same_hash(now, old, position), "ROLLBACK", message, position + 1)
    if is_one_log:
        newer, older = now["checkpoint"], old["checkpoint"]
        is_grown = newer["size"] >= older["size"] and same_roots(newer, older)
        require(is_grown, "ROLLBACK", "the log is another")
        check_head_was_true(old, now, "ROLLBACK")
    check_erasures(now, old)


def check_erasures(now, old):
    """What was erased since the older bundle, which still opens it, left all but free text."""
    role = now["bundle"]["viewer"]["role"]
    is_same_role = old["bundle"]["viewer"]["role"] == role
    events = []
    for position, event in enumerate(now["events"]):
        opened = dict(old["events"][position]["open"]) if position < len(old["events"]) else {}
        opened.update(event["open"])
        events.append({"header": event["header"], "open": opened})
    for slot in ("shared", role) if is_same_role else ("shared",):
        check_retained_facts(events, slot)
    check_remaining_state(events, role if is_same_role else None)


def check_retained_facts(events, slot):
    for event in events:
        erasing = body_of(event, slot)
        for item in erasing.get("erased", []):
            opening = events[item["seq"] - 1]["open"].get(slot)
            if opening is not None:
                kept = is_kept(opening["body"] or {}, item, erasing)
                message = "the erasure does not keep what the body said"
                require(kept, "ROLLBACK", message, item["seq"], slot)


def is_kept(body, item, erasing):
    status = body.get("set", {}).get("status")
    status = status if is_string(status) else None
    said = [body.get("type"), status, body.get("payment")]
    told = [item.get("type"), item.get("status"), item.get("payment")]
    has_links = set(links_of(body)) <= set(links_of(erasing))
    terms = canonical(body.get("finance"))
    has_terms = "finance" not in body or terms == canonical(erasing.get("finance"))
    return canonical(told) == canonical(said) and has_links and has_terms


def links_of(body):
    found = []
    for name in ("links", "link"):
        value = body.get(name, [])
        found.extend(value if isinstance(value, list) else [value])
    return [canonical(one) for one in found]


# The fields that may have changed in an event that neither bundle opens.
CHANGING = {"amount_credited", "amount_paid", "balance_due", "dispute", "pledge", "status"}


def check_remaining_state(events, role):
    """The state after an erasure is the one before it without its free text."""
    state, shared, is_whole, is_issued = {}, {}, True, False
    for event in events:
        both = body_of(event, "shared")
        own = {} if role is None else body_of(event, role)
        after, shared_after = fold(state, shared, both, own)
        if is_erasing(both) or is_erasing(own):
            pair = (shared, shared_after) if role is None else (state, after)
            is_right = is_without_text(pair[0], pair[1], is_whole, is_issued)
            message = "the erasure changed more than free text"
            require(is_right, "ROLLBACK", message, event["header"]["seq"])
            is_whole = True
        is_open = "shared" in event["open"] and (role is None or role in event["open"])
        is_whole = is_whole and is_open
        is_issued = is_issued or both.get("type") == "document.issued"
        state, shared = after, shared_after


def is_without_text(before, after, is_whole, is_issued):
    expected = {name: without_text(name, value) for name, value in before.items()}
    if is_whole:
        return canonical(expected) == canonical(after)
    # Drafts can change in every field.
    return not is_issued or all(
        name in CHANGING or (name in after and canonical(after[name]) == canonical(value))
        for name, value in expected.items()
    )


def without_text(name, value):
    """What an erasure puts in the place of free text."""
    if name == "notes":
        return None
    if name in ("external_refs", "metadata"):
        return []
    if name == "dispute":
        return replaced(value, {"note": None})
    if name == "line_items" and isinstance(value, list):
        return [replaced(line, {"description": "[erased]", "sku": None}) for line in value]
    return value


def replaced(value, values):
    if not isinstance(value, dict):
        return value
    return {name: values.get(name, one) for name, one in value.items()}


# -- Epochs of a log, and consistency --------------------------------------------------------------


def is_epoch(value):
    return (
        has_fields(value, "header", "log", "open")
        and is_header(value["header"], COMMITMENTS)
        and is_log(value["log"])
        and has_fields(value["open"], "shared")
        and is_opening(value["open"]["shared"])
        and value["open"]["shared"]["body"] is not None
    )


EPOCH_FIELDS = {
    "checkpoint": is_string,
    "epochs": lambda value: isinstance(value, list) and all(is_epoch(one) for one in value),
    "format": is_string,
}


def is_epoch_body(body):
    return (
        has_fields(body, "previous", "type")
        and is_string(body["previous"])
        and body["type"] == "log.epoch_begun"
    )


def epoch_stream(origin):
    """The log's own stream; its id and salt are public."""
    parts = re.search(r"/([a-z]+)/([1-9][0-9]*)\Z", origin)
    if parts is None:
        return None
    name = parts[1] if parts[2] == "1" else parts[1] + "/" + parts[2]
    return sha256("svc-stream/1\n", bytes(16), "log_" + name).hex()


def is_epoch_before(earlier, later):
    one, other = (re.fullmatch(r"(.*/)([1-9][0-9]{0,15})", origin) for origin in (earlier, later))
    is_one_log = one is not None and other is not None and one[1] == other[1]
    return is_one_log and int(one[2]) < int(other[2])


def verify_epochs(data, trust):
    """Each epoch began with a leaf that holds the last checkpoint of the one before."""
    file = parse_canonical(data)
    given = file.get("format") if isinstance(file, dict) else None
    is_known = not isinstance(given, str) or given == "svc-epochs/1"
    require(is_known, "FORMAT", "a format that this verifier does not know")
    check_fields(file, EPOCH_FIELDS)
    checkpoint = parse_checkpoint(file["checkpoint"])
    check_signed(checkpoint, checkpoint["size"], trust)
    origin, previous = checkpoint["origin"], []
    for position, event in enumerate(file["epochs"]):
        header, opening = event["header"], event["open"]["shared"]
        is_own = header["stream"] == epoch_stream(origin)
        require(is_own, "STREAM", "not an event of " + origin)
        is_first = header["seq"] == 1 and header["prev"] is None
        require(is_first, "CHAIN", "not the first event of an epoch")
        check_commitments([event])
        require(is_epoch_body(opening["body"]), "SHAPE", "a body is not as it must be")
        is_at_start = position > 0 or event["log"]["index"] == 0
        require(is_at_start, "INCLUSION", "not the first leaf of the log")
        check_leaf(sha256(b"\0", canonical(header)), event["log"], checkpoint)
        ended = parse_checkpoint(opening["body"]["previous"])
        is_earlier = is_epoch_before(ended["origin"], origin)
        message = ended["origin"] + " is not an epoch before " + origin
        require(is_earlier, "ORIGIN", message)
        if trust is not None and ended["origin"] in trust:
            check_signatures(ended, ended["size"], trust[ended["origin"]])
        previous.append(ended)
        origin = ended["origin"]
    return {"checkpoint": checkpoint, "previous": previous}


def check_epoch_of(old, now, epochs):
    """The older bundle's log ended, at its checkpoint or later, in an epoch before this one."""
    message = "the older bundle is of another log: prove with --epochs that it became this one"
    require(epochs is not None, "ROLLBACK", message)
    is_one_log = epochs["checkpoint"]["origin"] == now["checkpoint"]["origin"]
    require(is_one_log, "ROLLBACK", "the epochs of another log")
    is_one_tree = same_roots(epochs["checkpoint"], now["checkpoint"])
    require(is_one_tree, "ROLLBACK", "two logs of one size")
    older = old["checkpoint"]
    ended = [one for one in epochs["previous"] if one["origin"] == older["origin"]]
    require(ended, "ROLLBACK", "the log of the older bundle did not become this one")
    is_later = ended[0]["size"] >= older["size"] and same_roots(ended[0], older)
    require(is_later, "ROLLBACK", "the epoch of the older bundle ended before it, or otherwise")


def checkpoint_in(data, trust):
    """A checkpoint: a note, an answer of GET /v1/log/checkpoint, or a bundle, which is verified."""
    if data[:1] == b"{":
        value = parse_loose(data, "JSON", "not JSON")
        if "format" in value:
            return verify_bundle(data, trust)["checkpoint"]
        note = value.get("checkpoint")
        require(is_string(note), "SHAPE", "checkpoint is not as it must be")
    else:
        try:
            note = data.decode("utf-8")
        except UnicodeDecodeError:
            raise Failure("NOTE", "not UTF-8") from None
    checkpoint = parse_checkpoint(note)
    check_signed(checkpoint, checkpoint["size"], trust)
    return checkpoint


def check_consistency(older, newer, data):
    """The newer tree extends the older one, by an answer of GET /v1/log/consistency."""
    answer = parse_loose(data, "JSON", "not JSON")
    is_answer = (
        isinstance(answer, dict)
        and is_size(answer.get("from"))
        and is_size(answer.get("to"))
        and isinstance(answer.get("proof"), list)
        and all(is_hex(node, 64) for node in answer["proof"])
    )
    require(is_answer, "SHAPE", "not a consistency proof")
    require(older["origin"] == newer["origin"], "ORIGIN", "checkpoints of two logs")
    is_between = (answer["from"], answer["to"]) == (older["size"], newer["size"])
    require(is_between, "CONSISTENCY", "a proof between other sizes")
    proof = [bytes.fromhex(node) for node in answer["proof"]]
    sizes = older["size"], newer["size"]
    has_grown = is_consistent(*sizes, older["root"], newer["root"], proof)
    require(has_grown, "CONSISTENCY", "the log has not only grown")


# -- Receipts: what the service has acknowledged ---------------------------------------------------


RECEIPT_FIELDS = {
    "checkpoint": is_string,
    "format": is_string,
    "header": lambda value: is_header(value, COMMITMENTS),
    "log": is_log,
}


def verify_receipt(data, trust=None):
    """The answer of GET /v1/documents/{id}/receipts/{seq}: an event and its place in the log."""
    receipt = parse_canonical(data)
    given = receipt.get("format") if isinstance(receipt, dict) else None
    is_known = not is_string(given) or given == "svc-receipt/1"
    require(is_known, "FORMAT", "a format that this verifier does not know")
    check_fields(receipt, RECEIPT_FIELDS)
    checkpoint = parse_checkpoint(receipt["checkpoint"])
    check_signed(checkpoint, checkpoint["size"], trust)
    leaf = sha256(b"\0", canonical(receipt["header"]))
    check_leaf(leaf, receipt["log"], checkpoint, receipt["header"]["seq"])
    return {"receipt": receipt, "checkpoint": checkpoint, "hash": leaf.hex()}


def check_receipts(verified, data):
    """The events that the kept lines `<stream> <seq> <hash>` of this stream name are all there."""
    own = []
    for line in data.decode("latin-1").split("\n"):
        if line in ("", "\r"):
            continue
        parts = re.fullmatch(r"([0-9a-f]{64}) ([1-9][0-9]{0,15}) ([0-9a-f]{64})\r?", line)
        is_receipt = parts is not None and is_count(int(parts[2]))
        require(is_receipt, "RECEIPT", "not a list of receipts")
        if parts[1] != verified["stream"]:
            continue
        seq, hashes = int(parts[2]), verified["hashes"]
        message = "the bundle ends before an event that was acknowledged"
        require(seq <= len(hashes), "RECEIPT", message, seq)
        message = "another event than the one that was acknowledged"
        require(parts[3] == hashes[seq - 1], "RECEIPT", message, seq)
        own.append(seq)
    require(own, "RECEIPT", "no receipt is of this document")
    return len(own)


# -- An opening that its holder hands over ---------------------------------------------------------


def check_handed_over(verified, data):
    opening = parse_canonical(data)
    is_shaped = (
        has_fields(opening, "body", "salt", "seq", "slot")
        and is_opening({"body": opening["body"], "salt": opening["salt"]})
        and is_count(opening["seq"])
        and opening["slot"] in SLOTS
    )
    require(is_shaped, "OPENING", "not an opening")
    seq, slot = opening["seq"], opening["slot"]
    is_there = 1 <= seq <= len(verified["events"])
    header = verified["events"][seq - 1]["header"] if is_there else None
    is_right = is_there and commitment(opening["salt"], opening["body"]) == header["c"].get(slot)
    require(is_right, "OPENING", "the opening does not match its commitment", seq, slot)


# -- A PDF that carries its proof ------------------------------------------------------------------


CARRIED_MAX_BYTES = 2**26

# The start of a file that is embedded in a PDF, up to its data: whole lines.
EMBEDDED_HEAD = re.compile(rb"\n/Type /EmbeddedFile\n((?:[\s\S]{0,399}?\n)??)>>\nstream\n")
CARRIED_LINES = [b"/Subtype /application#2Fjson", b"/Filter /FlateDecode"]


def is_pdf(data):
    return data[:5] == b"%PDF-"


NO_PROOF_IN_PDF = (
    "this PDF carries no proof in the form of the service: ask for it with proof=1, or, if another "
    "program has saved it, take the file out with pdfdetach -saveall and verify that"
)


def carried_by(pdf):
    """PDF: the one JSON file that a PDF carries, as the service embeds it."""
    found = []
    for match in EMBEDDED_HEAD.finditer(pdf):
        lines = match[1].split(b"\n")
        if all(line in lines for line in CARRIED_LINES):
            found.append((lines, match.end()))
    require(found, "PDF", NO_PROOF_IN_PDF)
    require(len(found) == 1, "PDF", "this PDF carries several JSON files")
    lines, start = found[0]
    given = [line for line in lines if re.fullmatch(rb"/Length [0-9]{1,9}", line)]
    length = int(given[0][len(b"/Length ") :]) if len(given) == 1 else 0
    data = pdf[start : start + length]
    inflater = zlib.decompressobj()
    try:
        text = inflater.decompress(data, CARRIED_MAX_BYTES)
    except zlib.error:
        text = b""
    is_whole = inflater.eof and inflater.unused_data == b"" and len(data) == length
    require(is_whole, "PDF", "the proof in this PDF is damaged, or larger than 64 MiB")
    return text


def bundle_in(data):
    return carried_by(data) if is_pdf(data) else data


# -- Command line ----------------------------------------------------------------------------------


# The number of values that each option takes.
OPTIONS = {
    "json": 0,
    "trust": 1,
    "digest": 1,
    "peer": 1,
    "since": 1,
    "epochs": 1,
    "open": 1,
    "receipts": 1,
    "receipt": 0,
    "consistency": 2,
}


def arguments_of(argv):
    given, rest = {}, list(argv)
    while rest:
        word = rest.pop(0)
        name = word[2:] if word.startswith("--") else "file"
        is_known = name in OPTIONS if word.startswith("--") else True
        require(is_known and name not in given, "USAGE", USAGE)
        count = OPTIONS[name] if word.startswith("--") else 0
        require(len(rest) >= count, "USAGE", USAGE)
        given[name] = rest[:count] if word.startswith("--") else [word]
        del rest[:count]
    beside = {"file", "json", "trust"}
    is_mixed = any(
        name in given and not set(given) <= beside | {name} for name in ("consistency", "receipt")
    )
    is_digest = re.fullmatch("[0-9a-fA-F]{64}", given.get("digest", ["0" * 64])[0]) is not None
    is_alone = "epochs" in given and "since" not in given
    require("file" in given and is_digest and not is_mixed and not is_alone, "USAGE", USAGE)
    return given


def bytes_of(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except (OSError, ValueError):
        raise Failure("FILE", "cannot read " + path) from None


def trust_of(given):
    """A value that begins like a verifier key is one, also if a file has that name."""
    if re.match(r"[!-*,-~]+\+[0-9a-f]{8}\+", given):
        log = read_trust(given[: given.index("+")], [given], {})
        return {log["origin"]: log}, {}
    value = parse_loose(bytes_of(given), "TRUST", given + " is not JSON")
    return read_trust_file(value), read_parties(value.get("parties", {}))


def claim_of(verified, is_pinned):
    bundle, checkpoint, head = verified["bundle"], verified["checkpoint"], verified["head"]
    return {
        "valid": True,
        "pinned": is_pinned,
        "document_id": bundle["document"]["id"],
        "viewer": bundle["viewer"],
        "events": len(verified["events"]),
        "erased": verified["erased"],
        "signed": verified["signed"],
        "unsigned": verified["unsigned"],
        "head": {"seq": head["seq"], "hash": head["hash"]},
        "as_of": head["as_of"],
        "log": log_of(checkpoint),
    }


def log_of(checkpoint):
    root = base64.b64encode(checkpoint["root"]).decode("ascii")
    return {"origin": checkpoint["origin"], "size": checkpoint["size"], "root": root}


UNPROVEN_PAGES = (
    "The PDF carries this proof of the record. Its pages are a drawing, which anyone can change:"
    " compare them with the record."
)
UNPINNED = "No key was given with --trust: nobody vouches for this log."


def valid_text(claim):
    word = "VALID" if claim["pinned"] else "UNPINNED"
    if "consistency" in claim:
        proven = claim["consistency"]
        lines = [
            f"{word} log {proven['origin']} has only grown"
            f" from {proven['from']} to {proven['to']} leaves"
        ]
        return "\n".join(lines + ([] if claim["pinned"] else [UNPINNED]))
    log = claim["log"]
    if "receipt" in claim:
        proven = claim["receipt"]
        lines = [
            f"{word} receipt of event {proven['seq']}",
            f"{proven['stream']} {proven['seq']} {proven['hash']}",
            f"Leaf {proven['index']} of log {log['origin']}, size {log['size']},"
            f" root {log['root']}.",
        ]
        return "\n".join(lines + ([] if claim["pinned"] else [UNPINNED]))
    kept = claim.get("receipts")
    names = ", ".join(f"event {one['seq']} {one['slot']}" for one in claim["erased"])

    def made(text, events):
        parts = ", ".join(f"event {one['seq']} {one['organization_id']}" for one in events)
        return [f"{text}: {parts}."] if parts else []

    pinned = [one for one in claim["signed"] if one["pinned"]]
    unknown = [one for one in claim["signed"] if not one["pinned"]]
    lines = [
        f"{word} {claim['document_id']}, as its {claim['viewer']['role']} sees it",
        f"These {claim['events']} events, nothing shared or own withheld,"
        f" complete as of {claim['as_of']}.",
        *([f"Erased, so that only its existence and place are proven: {names}."] if names else []),
        *made("Signed by the party", pinned),
        *made("Signed with a key that nobody vouches for", unknown),
        *made("Not signed by the party, whose keys are trusted", claim["unsigned"]),
        *([f"It has the events of all {kept} receipts of the document."] if kept else []),
        *([UNPROVEN_PAGES] if "pdf" in claim else []),
        f"Log {log['origin']}, size {log['size']}, root {log['root']}.",
        "It does not say that nothing happened later: ask for a newer bundle."
        if claim["pinned"]
        else UNPINNED,
    ]
    return "\n".join(lines)


def pledge_claim(proof, is_pinned):
    """What a valid pledge proof has proven."""
    agreement, head = proof["agreement"], proof["head"]
    bundle = agreement["bundle"]

    def part(document_id, note):
        return {
            "document_id": document_id,
            "head": {"seq": note["seq"], "hash": note["hash"]},
            "as_of": note["as_of"],
            "events": note["seq"],
        }

    kept = ("agreement_id", "approved", "recorded", "earlier", "now")
    claim = {"valid": True, "pinned": is_pinned, "viewer": bundle["viewer"]}
    claim.update({name: proof[name] for name in kept})
    claim["agreement"] = part(bundle["document"]["id"], agreement["head"])
    claim["invoice"] = part(proof["invoice_id"], head)
    claim["log"] = log_of(proof["checkpoint"])
    return claim


def pledge_text(claim):
    word = "VALID" if claim["pinned"] else "UNPINNED"
    invoice, recorded, now, log = (claim[name] for name in ("invoice", "recorded", "now", "log"))
    earlier = claim["earlier"]
    before = f"{earlier} before it, all of them released" if earlier else "none before it"
    return "\n".join(
        [
            f"{word} pledge of {invoice['document_id']} for {claim['agreement_id']}",
            f"The invoice was approved at {claim['approved']['at']}. When it was pledged,"
            f" at {recorded['at']}, {recorded['balance_due']} were due on {recorded['due_date']}.",
            f"This pledge is the only one, and there was {before}, up to its end or to"
            f" {invoice['as_of']}. It was {now['pledge']} at {now['since']};"
            f" then the invoice was {now['status']}, and {now['balance_due']} were due.",
            "That no twin of the invoice is pledged is the word of the service.",
            f"Log {log['origin']}, size {log['size']}, root {log['root']}.",
            "It does not say that nothing happened later: ask for a newer proof."
            if claim["pinned"]
            else UNPINNED,
        ]
    )


def consistency_claim(given, trust):
    older, newer = (checkpoint_in(bytes_of(path), trust) for path in given["consistency"])
    check_consistency(older, newer, bytes_of(given["file"][0]))
    proven = {"origin": older["origin"], "from": older["size"], "to": newer["size"]}
    return {"valid": True, "pinned": trust is not None, "consistency": proven}


def receipt_claim(given, trust):
    verified = verify_receipt(bytes_of(given["file"][0]), trust)
    header, place = verified["receipt"]["header"], verified["receipt"]["log"]
    proven = {name: header[name] for name in ("stream", "seq", "at")}
    proven.update(hash=verified["hash"], index=place["index"])
    is_pinned, log = trust is not None, log_of(verified["checkpoint"])
    return {"valid": True, "pinned": is_pinned, "receipt": proven, "log": log}


def run(argv):
    given = arguments_of(argv)
    trust, parties = trust_of(given["trust"][0]) if "trust" in given else (None, {})
    if "consistency" in given:
        return consistency_claim(given, trust)
    if "receipt" in given:
        return receipt_claim(given, trust)
    digest = given["digest"][0].lower() if "digest" in given else None
    file = bytes_of(given["file"][0])
    value = parse_given(bundle_in(file), digest)
    if isinstance(value, dict) and value.get("format") == PLEDGE_FORMAT:
        is_alone = set(given) <= {"file", "json", "trust", "digest"}
        require(is_alone, "USAGE", USAGE)
        return pledge_claim(check_pledge(value, trust, parties), trust is not None)
    verified = check_bundle(value, trust, parties)

    def other(option):
        return verify_bundle(bundle_in(bytes_of(given[option][0])), trust, None, parties)

    if "open" in given:
        check_handed_over(verified, bytes_of(given["open"][0]))
    kept = {"pdf": True} if is_pdf(file) else {}
    if "receipts" in given:
        kept["receipts"] = check_receipts(verified, bytes_of(given["receipts"][0]))
    if "peer" in given:
        check_peer(verified, other("peer"))
    if "since" in given:
        epochs = verify_epochs(bytes_of(given["epochs"][0]), trust) if "epochs" in given else None
        check_since(verified, other("since"), epochs)
    return dict(claim_of(verified, trust is not None), **kept)


def outcome_of(argv):
    """Runs one command line and returns its exit code and output."""
    is_json = "--json" in argv
    try:
        claim = run(argv)
    except Exception as error:  # an unexpected error must never count as valid
        check = getattr(error, "check", "INTERNAL")
        message = getattr(error, "message", repr(error))
        seq, slot = getattr(error, "seq", None), getattr(error, "slot", None)
        if is_json:
            failure = {"valid": False, "check": check, "seq": seq, "slot": slot, "message": message}
            given = {name: value for name, value in failure.items() if value is not None}
            return 1, json.dumps(given)
        place = "" if seq is None else " event %d" % seq
        place += "" if slot is None else " " + slot
        return 1, "INVALID %s%s: %s" % (check, place, message)
    say = pledge_text if "agreement_id" in claim else valid_text
    text = json.dumps(claim) if is_json else say(claim)
    return (0 if claim["pinned"] else 2), text


def main(argv):
    code, text = outcome_of(argv)
    sys.stdout.buffer.write((text + "\n").encode("utf-8", "replace"))
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
