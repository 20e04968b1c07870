"""Reads one hex line of AMQP values after the other and prints their typed descriptions as qpid-proton sees them.

Each line of output is a JSON list of {"t", "v"} descriptions, or {"error": TEXT}.
"""

import json
import struct
import sys

from proton import Data

SIMPLE = {
    Data.BOOL: ("boolean", Data.get_bool, bool),
    Data.UBYTE: ("ubyte", Data.get_ubyte, int),
    Data.BYTE: ("byte", Data.get_byte, int),
    Data.USHORT: ("ushort", Data.get_ushort, int),
    Data.SHORT: ("short", Data.get_short, int),
    Data.UINT: ("uint", Data.get_uint, int),
    Data.INT: ("int", Data.get_int, int),
    Data.CHAR: ("char", Data.get_char, ord),
    Data.ULONG: ("ulong", Data.get_ulong, lambda v: str(int(v))),
    Data.LONG: ("long", Data.get_long, lambda v: str(int(v))),
    Data.TIMESTAMP: ("timestamp", Data.get_timestamp, lambda v: str(int(v))),
    Data.FLOAT: ("float", Data.get_float, lambda v: bits(v, ">f")),
    Data.DOUBLE: ("double", Data.get_double, lambda v: bits(v, ">d")),
    Data.DECIMAL32: ("decimal32", Data.get_decimal32, lambda v: "%08x" % v),
    Data.DECIMAL64: ("decimal64", Data.get_decimal64, lambda v: "%016x" % v),
    Data.DECIMAL128: ("decimal128", Data.get_decimal128, lambda v: bytes(v).hex()),
    Data.UUID: ("uuid", Data.get_uuid, str),
    Data.BINARY: ("binary", Data.get_binary, lambda v: bytes(v).hex()),
    Data.STRING: ("string", Data.get_string, str),
    Data.SYMBOL: ("symbol", Data.get_symbol, str),
}
NAMES = {code: entry[0] for code, entry in SIMPLE.items()}
NAMES.update({Data.NULL: "null", Data.LIST: "list", Data.MAP: "map", Data.ARRAY: "array"})


def bits(value, form):
    return "nan" if value != value else struct.pack(form, value).hex()


def children(data):
    found = []
    data.enter()
    while data.next():
        found.append(describe(data))
    data.exit()
    return found


def describe(data):
    kind = data.type()
    if kind == Data.NULL:
        return {"t": "null"}
    if kind == Data.LIST:
        return {"t": "list", "v": children(data)}
    if kind == Data.MAP:
        flat = children(data)
        return {"t": "map", "v": [list(pair) for pair in zip(flat[::2], flat[1::2])]}
    if kind == Data.DESCRIBED:
        descriptor, value = children(data)
        return {"t": "described", "d": descriptor, "v": value}
    if kind == Data.ARRAY:
        _, described, element = data.get_array()
        found = children(data)
        result = {"t": "array", "of": NAMES[element]}
        if described:
            result["d"] = found.pop(0)
        result["v"] = [item if element == Data.ARRAY else item.get("v") for item in found]
        return result
    name, get, render = SIMPLE[kind]
    return {"t": name, "v": render(get(data))}


def values(encoded):
    found = []
    while encoded:
        data = Data()
        encoded = encoded[data.decode(encoded):]
        data.rewind()
        while data.next():
            found.append(describe(data))
    return found


for line in sys.stdin:
    try:
        print(json.dumps(values(bytes.fromhex(line.strip()))))
    except Exception as error:  # proton raises many kinds, and each is an answer
        print(json.dumps({"error": "%s: %s" % (type(error).__name__, error)}))
