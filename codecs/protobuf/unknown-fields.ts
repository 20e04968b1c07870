import { SobreError } from "../../src/core/errors/sobre-error.ts";
import type { ProtobufFieldShape, ProtobufMessageShape } from "./shape.ts";

/** The most fields to list per message type: hostile payloads have a million. */
const maxNamedFields = 20;

/** Per message type, the tags of what its schema does not have, each with where in the buffer it was first. */
type Unknown = ReadonlyMap<ProtobufMessageShape, ReadonlyMap<number, number>>;

/** Lists the fields that were left out because the schema lacks them. */
export function unknownWarnings(unknown: Unknown): readonly string[] {
  return Array.from(unknown, ([shape, tags]) => warningsOf(shape, [...tags.keys()].slice(0, maxNamedFields))).flat();
}

function warningsOf(shape: ProtobufMessageShape, tags: readonly number[]): readonly string[] {
  const numbers = new Set<number>();
  const lacking: string[] = [];
  for (const tag of tags) {
    const field = fieldOf(shape, tag);
    if (field === undefined) numbers.add(Math.floor(tag / 8));
    else
      lacking.push(
        `Field ${field.number} of ${shape.name} was sent as a number that its enum does not have; it is left out.`,
      );
  }
  if (numbers.size === 0) return lacking;
  const missing = `${shape.name} has no field of number ${[...numbers].join(", ")}; what was sent there is left out.`;
  return [missing, ...lacking];
}

/**
 * Refuses fields that came with another wire type than the schema's. No later version of a message type sends them so,
 * and the body would show a default in their place.
 *
 * @throws SobreError `DecodeFailed` with the offset of one.
 */
export function refuseMismatches(unknown: Unknown, payload: Uint8Array): void {
  for (const [shape, tags] of unknown) {
    for (const [tag, at] of tags) {
      const field = fieldOf(shape, tag);
      // A number that a closed enum lacks is kept apart (proto2), and may be of a later version.
      if (field === undefined || (field.enumeration !== undefined && isEnumNumber(field, tag % 8))) continue;
      throw mismatch(shape, field, tag % 8, at - payload.byteOffset);
    }
  }
}

function fieldOf(shape: ProtobufMessageShape, tag: number): ProtobufFieldShape | undefined {
  const number = Math.floor(tag / 8);
  return shape.fields.find((candidate) => candidate.number === number);
}

function isEnumNumber({ label }: ProtobufFieldShape, wireType: number): boolean {
  return wireType === 0 || (label !== "single" && wireType === 2);
}

function mismatch(
  { name }: ProtobufMessageShape,
  { number, label, kind }: ProtobufFieldShape,
  wireType: number,
  offset: number,
): SobreError {
  const own = label === "map" ? "a map" : kind;
  const sent = wireTypes[wireType] ?? `wire type ${wireType}`;
  return new SobreError(
    "DecodeFailed",
    `Field ${number} was sent as ${sent}, and ${name} has ${own} there, at byte ${offset}. Check that the message type is the sender's.`,
    { offset },
  );
}

/** Wire types by number (Protocol Buffers encoding, "Message Structure"). */
const wireTypes = [
  "a varint",
  "fixed64",
  "length-delimited bytes",
  "a group",
  "the end of a group",
  "fixed32",
] as const;
