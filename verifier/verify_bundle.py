#!/usr/bin/env python3
"""Verifies a proof bundle (svc-proof-bundle/1) offline: Python 3.8 or newer, standard library only.

Written from FORMAT.md, independently of verify-bundle.mjs and deliberately with other algorithms:
it checks inclusion proofs by the recursive definition of RFC 6962 and computes Ed25519 itself, as
in RFC 8032. The command line, the exit codes and the names of the checks are the same.

    python3 verify_bundle.py FILE [--trust VKEY|trust.json] [--digest HEX] [--peer OTHER]
                             [--since OLD] [--open OPENING] [--json]

Exit codes: 0 valid; 1 invalid or unreadable; 2 everything is consistent, but without --trust nobody
vouches for the log.
"""

import base64
import hashlib
import json
import re
import sys

USAGE = (
    "verify-bundle FILE [--trust VKEY|trust.json] [--digest HEX] [--peer OTHER] [--since OLD]"
    " [--open OPENING] [--json]"
)
MAX_DEPTH = 32
MAX_INTEGER = 2**53 - 1
SLOTS = ("counterparty", "issuer", "shared")


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


def parse_vkey(vkey):
    parts = re.fullmatch(r"([!-*,-~]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)", vkey)
    typed = None if parts is None else base64_bytes(parts[3])
    is_ed25519 = typed is not None and len(typed) == 33 and typed[0] == 1
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
    return {"origin": origin, "keys": trusted}


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
    return dict(parsed, origin=lines[0], size=size_of(lines[1]), root=root)


TIME = r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z"
HEAD = re.compile(
    r"svc-head/1 ([!-*,-~]+)\n([0-9a-f]{64}) (\S+) ([0-9a-f]{64})\n(\S+)\n(" + TIME + r")\n"
)


def parse_head(note):
    parsed = parse_note(note)
    parts = HEAD.fullmatch(parsed["body"])
    require(parts is not None, "NOTE", "not a head note")
    return dict(
        parsed,
        origin=parts[1],
        stream=parts[2],
        seq=size_of(parts[3]),
        hash=parts[4],
        size=size_of(parts[5]),
        as_of=parts[6],
    )


def check_signatures(note, size, trust):
    signed = outside = False
    for name, key_id, signature in note["signatures"]:
        for key in trust["keys"]:
            if (key["name"], key["id"]) != (name, key_id):
                continue
            is_right = ed25519_verify(key["key"], note["body"].encode("utf-8"), signature)
            require(is_right, "SIGNATURE", "the signature of " + name + " is wrong")
            if size < key["start"] or (key["end"] is not None and size >= key["end"]):
                outside = True
            else:
                signed = True
            break
    if signed:
        return
    require(not outside, "KEY_WINDOW", "signed with a key that was not in use at that size")
    raise Failure("SIGNATURE", "no trusted key has signed")


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


def is_header(value):
    if not has_fields(value, "at", "c", "prev", "seq", "stream", "v"):
        return False
    return (
        isinstance(value["at"], str)
        and re.fullmatch(TIME, value["at"]) is not None
        and has_fields(value["c"], *SLOTS)
        and all(is_hex(value["c"][slot], 64) for slot in SLOTS)
        and (value["prev"] is None or is_hex(value["prev"], 64))
        and is_count(value["seq"])
        and value["seq"] > 0
        and is_hex(value["stream"], 64)
        and value["v"] == "svc-event/1"
    )


def is_opening(value):
    return has_fields(value, "body", "salt") and is_body(value["body"]) and is_hex(value["salt"], 32)


def is_event(value):
    if not has_fields(value, "header", "log", "open") or not is_header(value["header"]):
        return False
    log, opened = value["log"], value["open"]
    return (
        has_fields(log, "index", "path")
        and is_count(log["index"])
        and isinstance(log["path"], list)
        and all(is_hex(node, 64) for node in log["path"])
        and isinstance(opened, dict)
        and all(slot in SLOTS and is_opening(opened[slot]) for slot in opened)
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


def is_events(value):
    return isinstance(value, list) and len(value) > 0 and all(is_event(one) for one in value)


def is_string(value):
    return isinstance(value, str)


FIELDS = {
    "checkpoint": is_string,
    "document": is_document,
    "events": is_events,
    "format": is_string,
    "head": is_string,
    "viewer": is_viewer,
}


def check_shape(bundle):
    require(isinstance(bundle, dict), "SHAPE", "not an object")
    given = bundle.get("format")
    is_known = not isinstance(given, str) or given == "svc-proof-bundle/1"
    require(is_known, "FORMAT", "a format that this verifier does not know")
    for name, holds in FIELDS.items():
        is_right = name in bundle and holds(bundle[name])
        require(is_right, "SHAPE", name + " is not as it must be")
    require(len(bundle) == len(FIELDS), "SHAPE", "a field that is not known")


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
        is_later = before is None or header["at"] >= before
        require(is_later, "ORDER", "time runs backwards", position)
        before = header["at"]
        hashes.append(sha256(b"\0", canonical(header)))
    return hashes


def check_openings(events, role):
    for event in events:
        foreign = set(event["open"]) - {"shared", role}
        seq = event["header"]["seq"]
        require(not foreign, "ROLE", "an opening of the other side", seq)
    for event in events:
        for slot, opening in event["open"].items():
            is_right = commitment(opening["salt"], opening["body"]) == event["header"]["c"][slot]
            message = "the opening does not match its commitment"
            require(is_right, "COMMITMENT", message, event["header"]["seq"], slot)


def body_of(event, slot):
    opening = event["open"].get(slot)
    return {} if opening is None or opening["body"] is None else opening["body"]


def check_body(body, seq, slot):
    erased = body.get("erased", [])
    is_right = (
        isinstance(body.get("set", {}), dict)
        and ("state" not in body or is_hex(body["state"], 64))
        and isinstance(erased, list)
        and all(isinstance(one, dict) and is_count(one.get("seq")) for one in erased)
        and isinstance(body.get("parties", {}), dict)
    )
    require(is_right, "SHAPE", "a body is not as it must be", seq, slot)


def check_nothing_withheld(events, role):
    for slot in ("shared", role):
        for event in events:
            check_body(body_of(event, slot), event["header"]["seq"], slot)
    for slot in ("shared", role):
        erased = set()
        for event in events:
            seq = event["header"]["seq"]
            for one in body_of(event, slot).get("erased", []):
                if one["seq"] < seq:
                    erased.add(one["seq"])
        for event in events:
            seq = event["header"]["seq"]
            is_there = slot in event["open"] or seq in erased
            require(is_there, "WITHHELD", "an opening is missing", seq, slot)


def replay(events, role):
    state, shared = {}, {}
    for event in events:
        both, own = body_of(event, "shared"), body_of(event, role)
        if "content.erased" in (both.get("type"), own.get("type")):
            state = {}
            if both.get("type") == "content.erased":
                shared = {}
        shared.update(both.get("set", {}))
        state.update(both.get("set", {}))
        state.update(own.get("set", {}))
        if "state" in both:
            is_right = sha256(canonical(shared)).hex() == both["state"]
            message = "the state is not what the event says"
            require(is_right, "REPLAY", message, event["header"]["seq"], "shared")
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


def check_inclusion(events, hashes, checkpoint):
    before = -1
    for event, leaf in zip(events, hashes):
        seq, index = event["header"]["seq"], event["log"]["index"]
        require(index > before, "ORDER", "the log runs backwards", seq)
        before = index
        path = [bytes.fromhex(node) for node in event["log"]["path"]]
        size = checkpoint["size"]
        is_short = index < size and len(path) <= 64
        root = root_of(leaf, index, size, path) if is_short else None
        message = "the event is not in the log at that place"
        require(root == checkpoint["root"], "INCLUSION", message, seq)


# -- The whole bundle ------------------------------------------------------------------------------


OTHER_LOG = "a checkpoint of another log"


def verify_bundle(data, trust=None, digest=None):
    is_same_digest = digest is None or sha256(data).hex() == digest
    require(is_same_digest, "DIGEST", "another digest")
    bundle = parse_canonical(data)
    check_shape(bundle)
    document, events, viewer = bundle["document"], bundle["events"], bundle["viewer"]
    checkpoint, head = parse_checkpoint(bundle["checkpoint"]), parse_head(bundle["head"])
    is_one_log = head["origin"] == checkpoint["origin"]
    require(is_one_log, "ORIGIN", "the head note is of another log")
    if trust is not None:
        is_trusted_log = checkpoint["origin"] == trust["origin"]
        require(is_trusted_log, "ORIGIN", OTHER_LOG)
        check_signatures(checkpoint, checkpoint["size"], trust)
        check_signatures(head, head["size"], trust)
    stream_salt = bytes.fromhex(document["stream_salt"])
    stream = sha256("svc-stream/1\n", stream_salt, document["id"]).hex()
    hashes = check_chain(stream, events)
    check_openings(events, viewer["role"])
    check_nothing_withheld(events, viewer["role"])
    state = replay(events, viewer["role"])
    is_state = canonical(state) == canonical(document["state"])
    require(is_state, "REPLAY", "the state is another")
    check_role(events, viewer, state)
    check_inclusion(events, hashes, checkpoint)
    is_head = (head["stream"], head["seq"], head["hash"], head["size"]) == (
        stream,
        len(events),
        hashes[-1].hex(),
        checkpoint["size"],
    )
    require(is_head, "HEAD", "the head note is not about the last event of this bundle")
    return {
        "bundle": bundle,
        "events": events,
        "checkpoint": checkpoint,
        "head": head,
        "stream": stream,
        "hashes": [one.hex() for one in hashes],
    }


def same_place(one, other, position):
    is_same_hash = one["hashes"][position] == other["hashes"][position]
    indexes = [bundle["events"][position]["log"]["index"] for bundle in (one, other)]
    return is_same_hash and indexes[0] == indexes[1]


def same_roots(one, other):
    one, other = one["checkpoint"], other["checkpoint"]
    return one["size"] != other["size"] or one["root"] == other["root"]


def check_same_log(one, other, check, message="a bundle from another log"):
    require(one["stream"] == other["stream"], check, "a bundle of another document")
    is_one_log = one["checkpoint"]["origin"] == other["checkpoint"]["origin"]
    require(is_one_log, check, message)


def check_head_was_true(shorter, longer, check):
    """A head note that omits an event of its log proves fraud."""
    beyond = longer["events"][len(shorter["events"]) :]
    is_true = not beyond or beyond[0]["log"]["index"] >= shorter["checkpoint"]["size"]
    message = "a head was signed although a later event was in the log"
    require(is_true, check, message, beyond[0]["header"]["seq"] if beyond else None)


def check_peer(one, other):
    check_same_log(one, other, "SPLIT_VIEW")
    shorter, longer = sorted((one, other), key=lambda bundle: len(bundle["events"]))
    for position in range(len(shorter["events"])):
        is_same = same_place(shorter, longer, position)
        require(is_same, "SPLIT_VIEW", "the parties were shown two histories", position + 1)
    check_head_was_true(shorter, longer, "SPLIT_VIEW")
    require(same_roots(one, other), "SPLIT_VIEW", "two logs of one size")


# An epoch ends with what the log held then: nobody can say from two bundles what was lost.
OTHER_EPOCH = (
    "the older bundle is of another log, or of another epoch of this one: a restore from a backup"
    " begins a new epoch, and --since compares within one; ask the operator what the restore lost"
)


def check_since(now, old):
    check_same_log(now, old, "ROLLBACK", OTHER_EPOCH)
    is_whole = len(now["events"]) >= len(old["events"])
    require(is_whole, "ROLLBACK", "events are missing", len(now["events"]) + 1)
    for position in range(len(old["events"])):
        message = "an event is another, or at another place of the log"
        require(same_place(now, old, position), "ROLLBACK", message, position + 1)
    is_grown = now["checkpoint"]["size"] >= old["checkpoint"]["size"] and same_roots(now, old)
    require(is_grown, "ROLLBACK", "the log is another")
    check_head_was_true(old, now, "ROLLBACK")


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
    is_right = is_there and commitment(opening["salt"], opening["body"]) == header["c"][slot]
    require(is_right, "OPENING", "the opening does not match its commitment", seq, slot)


# -- Command line ----------------------------------------------------------------------------------


def arguments_of(argv):
    given, rest = {}, list(argv)
    while rest:
        word = rest.pop(0)
        name = word[2:] if word.startswith("--") else "file"
        known = ("file", "json", "trust", "digest", "peer", "since", "open")
        require(name in known and name not in given, "USAGE", USAGE)
        if name == "file":
            given[name] = word
        elif name == "json":
            given[name] = True
        else:
            require(rest, "USAGE", USAGE)
            given[name] = rest.pop(0)
    require("file" in given, "USAGE", USAGE)
    return given


def bytes_of(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        raise Failure("FILE", "cannot read " + path) from None


def trust_of(given):
    if re.match(r"[!-*,-~]+\+[0-9a-f]{8}\+", given):
        return read_trust(given[: given.index("+")], [given], {})
    try:
        source = bytes_of(given).decode("utf-8")
        check_depth(source, "TRUST")
        # Numbers become doubles, as in other languages; one that is too large becomes infinite.
        value = json.loads(source, parse_int=float, parse_float=float, parse_constant=no_number)
    except ValueError:
        raise Failure("TRUST", given + " is not JSON") from None
    is_file = isinstance(value, dict) and isinstance(value.get("windows", {}), dict)
    require(is_file, "TRUST", given + " is not a trust file")
    return read_trust(value.get("origin"), value.get("keys"), value.get("windows", {}))


def claim_of(verified, is_pinned):
    bundle, checkpoint, head = verified["bundle"], verified["checkpoint"], verified["head"]
    return {
        "valid": True,
        "pinned": is_pinned,
        "document_id": bundle["document"]["id"],
        "viewer": bundle["viewer"],
        "events": len(verified["events"]),
        "head": {"seq": head["seq"], "hash": head["hash"]},
        "as_of": head["as_of"],
        "log": {
            "origin": checkpoint["origin"],
            "size": checkpoint["size"],
            "root": base64.b64encode(checkpoint["root"]).decode("ascii"),
        },
    }


def valid_text(claim):
    word = "VALID" if claim["pinned"] else "UNPINNED"
    log = claim["log"]
    last = (
        "It does not say that nothing happened later: ask for a newer bundle."
        if claim["pinned"]
        else "No key was given with --trust: nobody vouches for this log."
    )
    return (
        f"{word} {claim['document_id']}, as its {claim['viewer']['role']} sees it\n"
        f"These {claim['events']} events, nothing shared or own withheld,"
        f" complete as of {claim['as_of']}.\n"
        f"Log {log['origin']}, size {log['size']}, root {log['root']}.\n{last}"
    )


def verify_older(data, trust):
    """The keys of one epoch vouch for no bundle of another."""
    try:
        return verify_bundle(data, trust)
    except Failure as error:
        require(error.message != OTHER_LOG, "ORIGIN", OTHER_EPOCH)
        raise


def run(argv):
    given = arguments_of(argv)
    trust = trust_of(given["trust"]) if "trust" in given else None
    digest = given["digest"].lower() if "digest" in given else None
    verified = verify_bundle(bytes_of(given["file"]), trust, digest)
    if "open" in given:
        check_handed_over(verified, bytes_of(given["open"]))
    if "peer" in given:
        check_peer(verified, verify_bundle(bytes_of(given["peer"]), trust))
    if "since" in given:
        check_since(verified, verify_older(bytes_of(given["since"]), trust))
    return claim_of(verified, trust is not None)


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
    text = json.dumps(claim) if is_json else valid_text(claim)
    return (0 if claim["pinned"] else 2), text


def main(argv):
    code, text = outcome_of(argv)
    sys.stdout.buffer.write((text + "\n").encode("utf-8", "replace"))
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
