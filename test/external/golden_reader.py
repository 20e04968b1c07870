"""Reads golden messages with the decoders of Python: golden_reader.py FOLDER [DESCRIPTOR_SET].

Prints one line of JSON for each: {"file": ..., "problem": null or a sentence}.
"""

import base64
import hashlib
import json
import pathlib
import re
import sys
from datetime import datetime, timezone

import msgpack
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory


def main(folder, descriptors=None):
    pool = descriptor_pool.DescriptorPool()
    if descriptors is not None:
        files = descriptor_pb2.FileDescriptorSet.FromString(pathlib.Path(descriptors).read_bytes())
        for file in files.file:
            pool.Add(file)
    for path in sorted(pathlib.Path(folder).glob("*/*/*/*.json")):
        try:
            problem = problem_of(path, pool)
        except Exception as error:
            problem = f"{type(error).__name__}: {error}"
        print(json.dumps({"file": str(path.relative_to(folder)), "problem": problem}))


def problem_of(path, pool):
    golden = json.loads(path.read_text("utf-8"))
    payload = path.with_suffix(".bin").read_bytes()
    if hashlib.sha256(payload).hexdigest() != golden["sha256"]:
        return "the payload was changed"
    if "metadataSha256" in golden:
        told = {name: value for name, value in golden.items() if not name.endswith("ha256")}
        text = json.dumps(told, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
        if hashlib.sha256(text.encode()).hexdigest() != golden["metadataSha256"]:
            return "the description was changed"
    content_type = golden.get("brokerProperties", golden).get("contentType", golden.get("contentType"))
    decode = decoders.get(content_type.split(";")[0])
    if decode is None:
        return f"no decoder for {content_type}"
    read, expected = plain(decode(payload, content_type, pool)), plain(golden["expected"])
    return None if read == expected else f"read as {read!r} instead of {expected!r}"


def from_protobuf(payload, content_type, pool):
    name = content_type.split("messageType=")[1]
    kind = message_factory.GetMessageClass(pool.FindMessageTypeByName(name))
    return members_of(kind.FromString(payload))


def members_of(message):
    """The members as the codec of sobre gives them: fields without presence are always there, enums by name."""
    members = {}
    for field in message.DESCRIPTOR.fields:
        if field.has_presence and not message.HasField(field.name):
            continue
        value = getattr(message, field.name)
        name = field.name[0] + re.sub("_([a-z])", lambda found: found[1].upper(), field.name[1:])
        if field.message_type is not None and field.message_type.GetOptions().map_entry:
            entry = field.message_type.fields_by_name["value"]
            members[name] = {str(key): value_of(value[key], entry) for key in value}
        elif field.is_repeated:
            members[name] = [value_of(item, field) for item in value]
        else:
            members[name] = value_of(value, field)
    return members


def value_of(value, field):
    if field.message_type is not None:
        return members_of(value)
    if field.enum_type is not None:
        known = field.enum_type.values_by_number.get(value)
        return value if known is None else known.name
    return value


decoders = {
    "application/json": lambda payload, *_: json.loads(payload),
    "application/vnd.msgpack": lambda payload, *_: msgpack.unpackb(payload, timestamp=3),
    "application/protobuf": from_protobuf,
}


def plain(value):
    """One form for values that JSON lacks: those of Python, and the objects whose one key begins with $."""
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        if "$int64" in value:
            return int(value["$int64"])
        if "$bytes" in value:
            return base64.b64decode(value["$bytes"])
        if "$dateTime" in value:
            return datetime.fromisoformat(value["$dateTime"].replace("Z", "+00:00"))
        if "$double" in value:
            return float(value["$double"])
        return {name: plain(member) for name, member in value.items()}
    if isinstance(value, datetime):
        return value.astimezone(timezone.utc)
    return value


if __name__ == "__main__":
    main(*sys.argv[1:])
