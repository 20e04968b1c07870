"""Writes and reads values of every AMQP type with the official Python client (azure-servicebus).

`--write CONNECTION-STRING CERTIFICATE TOPIC CASES` sends the cases of a JSON file, and prints a line of JSON for each: its
name, and why this client `cannot` send it. `--read CONNECTION-STRING CERTIFICATE TOPIC SUBSCRIPTION COUNT` prints a line
for each message: its name, its kind and its values, with the types that this client shows. `--load CONNECTION-STRING
CERTIFICATE QUEUE COUNT` and `--restart CONNECTION-STRING CERTIFICATE -` are in the files of their names.
"""

import datetime
import decimal
import json
import struct
import sys
import uuid

from azure_servicebus_load import load
from azure_servicebus_restart import restart

from azure.servicebus import ServiceBusClient
from azure.servicebus.amqp import AmqpAnnotatedMessage, AmqpMessageBodyType

UTC = datetime.timezone.utc
EPOCH = datetime.datetime(1970, 1, 1, tzinfo=UTC)
DECIMAL128_BIAS = 6176


def named(typed):
    """A property's value as this client takes it: types that Python lacks go by their name."""
    kind, value = typed["t"], typed.get("v")
    if kind in ("ubyte", "ushort", "uint", "ulong", "byte", "short", "long"):
        return {"TYPE": kind.upper(), "VALUE": int(value)}
    if kind == "float":
        return {"TYPE": "FLOAT", "VALUE": struct.unpack(">f", bytes.fromhex(value))[0]}
    if kind in ("binary", "symbol"):
        # This client makes text of bytes in properties.
        return {"TYPE": kind.upper(), "VALUE": bytes.fromhex(value) if kind == "binary" else value}
    return native(typed)


def native(typed):
    """A value of a body as this client takes it."""
    kind, value = typed["t"], typed.get("v")
    if kind in ("null", "boolean", "string", "int"):
        return value
    if kind == "long":
        return int(value)
    if kind == "double":
        return struct.unpack(">d", bytes.fromhex(value))[0]
    if kind == "timestamp":
        return EPOCH + datetime.timedelta(milliseconds=int(value))
    if kind == "uuid":
        return uuid.UUID(value)
    if kind == "binary":
        return bytes.fromhex(value)
    if kind == "decimal128":
        bits = int(value, 16)
        exponent = ((bits >> 113) & 0x3FFF) - DECIMAL128_BIAS
        return decimal.Decimal(bits & ((1 << 113) - 1)).scaleb(exponent)
    if kind == "list":
        return [native(item) for item in value]
    if kind == "map":
        return {native(key): native(item) for key, item in value}
    raise NotImplementedError("it has no %s" % kind)


def shown(value):
    if value is None:
        return {"t": "null"}
    if isinstance(value, bool):
        return {"t": "boolean", "v": value}
    if isinstance(value, int):
        return {"t": "integer", "v": str(value)}
    if isinstance(value, float):
        return {"t": "double", "v": struct.pack(">d", value).hex()}
    if isinstance(value, bytes):
        return {"t": "binary", "v": value.hex()}
    if isinstance(value, uuid.UUID):
        return {"t": "uuid", "v": str(value)}
    if isinstance(value, decimal.Decimal):
        sign, digits, exponent = value.as_tuple()
        coefficient = int("".join(map(str, digits)))
        return {"t": "decimal128", "v": "%032x" % (sign << 127 | (exponent + DECIMAL128_BIAS) << 113 | coefficient)}
    if isinstance(value, list):
        return {"t": "list", "v": [shown(item) for item in value]}
    if isinstance(value, dict):
        return {"t": "map", "v": [[shown(key), shown(item)] for key, item in value.items()]}
    raise TypeError("unexpected %r" % type(value))


def message(name, kind, values):
    properties = {"subject": name}
    if kind == "property":
        return AmqpAnnotatedMessage(
            data_body=b"", properties=properties, application_properties={"value": named(values[0])}
        )
    if kind == "data":
        body = {"data_body": [bytes.fromhex(value["v"]) for value in values]}
    elif kind == "sequence":
        body = {"sequence_body": [[native(value) for value in values]]}
    else:
        body = {"value_body": native(values[0])}
    return AmqpAnnotatedMessage(properties=properties, **body)


def write(client, topic, cases):
    with client.get_topic_sender(topic) as sender, open(cases, encoding="utf-8") as file:
        for case in json.load(file):
            line = {"name": case["name"]}
            try:
                sender.send_messages(message(**case))
            except Exception as error:
                line["cannot"] = str(error)
            print(json.dumps(line), flush=True)


def told(received):
    properties = received.application_properties or {}
    if b"value" in properties:
        return "property", [shown(properties[b"value"])]
    if received.body_type == AmqpMessageBodyType.DATA:
        return "data", [shown(section) for section in received.body]
    if received.body_type == AmqpMessageBodyType.SEQUENCE:
        return "sequence", [shown(value) for section in received.body for value in section]
    return "value", [shown(received.body)]


def read(client, topic, subscription, count):
    left = int(count)
    with client.get_subscription_receiver(topic, subscription, receive_mode="receiveanddelete") as receiver:
        while left > 0:
            for received in receiver.receive_messages(max_message_count=left, max_wait_time=5):
                left -= 1
                kind, values = told(received)
                print(json.dumps({"name": received.subject, "kind": kind, "values": values}), flush=True)


command, text, certificate, *rest = sys.argv[1:]
with ServiceBusClient.from_connection_string(text, connection_verify=certificate) as client:
    {"--write": write, "--read": read, "--load": load, "--restart": restart}[command](client, *rest)
