import type { ComparedEnum, ComparedField } from "./shape.ts";

/** For each kind, the other kinds that read all its values as the same values. */
const wider: Readonly<Record<string, readonly string[]>> = {
  bool: ["int32", "uint32", "int64", "uint64"],
  int32: ["int64"],
  uint32: ["int64", "uint64"],
  sint32: ["sint64"],
  string: ["bytes"],
  enum: ["int32", "int64"],
};

/** Whether every value that `writer` puts on the wire is the same value to `reader`. */
export function keepsOnWire(writer: ComparedField, reader: ComparedField): boolean {
  if (losesChoice(writer, reader)) return false;
  if (writer.label === "map" && !isLossless(writer.keyKind, reader.keyKind)) return false;
  if (writer.kind === "enum" && reader.kind === "enum") return keepsNumbers(writer.enumeration, reader.enumeration);
  if (writer.kind === "int32" && reader.kind === "enum") return reader.enumeration?.closed === false;
  return isLossless(writer.kind, reader.kind);
}

/** Whether a zero member of a oneof looks the same as one that was not chosen. */
function losesChoice(writer: ComparedField, reader: ComparedField): boolean {
  return writer.oneof !== undefined && reader.label === "one" && !reader.hasPresence;
}

/** Whether every value that `writer` writes as JSON is the same value to `reader`. */
export function keepsInJson(writer: ComparedField, reader: ComparedField): boolean {
  // JSON writes map keys as text, which for booleans is not a number.
  if (writer.label === "map" && writer.keyKind === "bool" && reader.keyKind !== "bool") return false;
  if (writer.kind === "enum") return reader.kind === "enum" && keepsNames(writer.enumeration, reader.enumeration);
  if (writer.kind === "string" || writer.kind === "bool") return writer.kind === reader.kind;
  return keepsOnWire(writer, reader);
}

function isLossless(writer: string, reader: string): boolean {
  return writer === reader || (Object.hasOwn(wider, writer) && wider[writer]?.includes(reader) === true);
}

function keepsNumbers(writer: ComparedEnum | undefined, reader: ComparedEnum | undefined): boolean {
  if (writer === undefined || reader === undefined) return false;
  if (!reader.closed) return true;
  return writer.closed && Array.from(writer.names.keys()).every((number) => reader.names.has(number));
}

function keepsNames(writer: ComparedEnum | undefined, reader: ComparedEnum | undefined): boolean {
  if (writer === undefined || reader === undefined) return false;
  return Array.from(writer.names).every(([number, name]) => reader.numbers.get(name) === number);
}

/** Boundary values of a kind, as protobufjs takes them; for a member of a oneof also zero, which selects it. */
export function samplesOf(field: ComparedField): readonly unknown[] {
  return field.oneof === undefined ? edgesOf(field) : [...edgesOf(field), ...zeroOf(field)];
}

function zeroOf({ kind }: ComparedField): readonly unknown[] {
  if (kind === "message" || kind === "group") return [];
  if (kind === "string" || kind === "bytes") return [""];
  return [kind === "bool" ? false : 0];
}

function edgesOf({ kind, enumeration }: Pick<ComparedField, "kind" | "enumeration">): readonly unknown[] {
  switch (kind) {
    case "bool":
      return [true];
    case "enum": {
      const known = Array.from(enumeration?.names.keys() ?? []).filter((number) => number !== 0);
      return enumeration?.closed === false ? [...known, 2_000_000_001, -1] : known;
    }
    case "string":
      return ["a", "é"];
    case "bytes":
      // Not UTF-8.
      return ["/w==", "YQ=="];
    case "double":
    case "float":
      return [1.5, -1];
    case "message":
    case "group":
      return [{}];
    case "uint64":
    case "fixed64":
      return ["1", "18446744073709551615"];
    case "int64":
    case "sint64":
    case "sfixed64":
      return ["1", "-1", "9223372036854775807"];
    case "uint32":
    case "fixed32":
      return [1, 4_294_967_295];
    default:
      return [1, -1, 2_147_483_647];
  }
}

/** Keys of a map, the simplest first. */
export function keySamples(kind: string): readonly string[] {
  if (kind === "string") return ["a"];
  if (kind === "bool") return ["true"];
  return ["1", ...edgesOf({ kind, enumeration: undefined }).map(String).slice(1)];
}
