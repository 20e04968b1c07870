import type { FieldShape, MessageShape } from "./shape.ts";

/** Warnings of one payload: hostile ones have a million reasons. */
const most = 20;

/** Tells what was left out because the schema has no place for it, from the tags of each message type. */
export function unknownWarnings(unknown: ReadonlyMap<MessageShape, ReadonlySet<number>>): readonly string[] {
  return Array.from(unknown, ([shape, tags]) => warningsOf(shape, [...tags].slice(0, most))).flat();
}

function warningsOf(shape: MessageShape, tags: readonly number[]): readonly string[] {
  const numbers = new Set<number>();
  const wrong: string[] = [];
  for (const tag of tags) {
    const number = Math.floor(tag / 8);
    const field = shape.fields.find((candidate) => candidate.number === number);
    if (field === undefined) numbers.add(number);
    else wrong.push(mismatch(shape, field, tag % 8));
  }
  const missing = numbers.size === 0 ? [] : [missingFields(shape, numbers)];
  return [...missing, ...wrong];
}

function missingFields({ name }: MessageShape, numbers: ReadonlySet<number>): string {
  return `${name} has no field of number ${[...numbers].join(", ")}; what was sent there is left out.`;
}

/** A known field comes here with another wire type than its own, or as a number that its closed enum lacks. */
function mismatch({ name }: MessageShape, { number, label, kind, enumeration }: FieldShape, wireType: number): string {
  if (enumeration !== undefined && wireType === 0) {
    return `Field ${number} of ${name} was sent as a number that its enum does not have; it is left out.`;
  }
  const own = label === "map" ? "a map" : kind;
  const sent = wireTypes[wireType] ?? `wire type ${wireType}`;
  return `Field ${number} was sent as ${sent}, and ${name} has ${own} there; what was sent is left out. Check that the message type is the sender's.`;
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
