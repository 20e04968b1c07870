import type { CompatibilityResult } from "../../../src/contract/index.ts";
import { common, parse, Root, Type } from "../../../src/core/protobuf/protobufjs.ts";

/**
 * Replays the byte witnesses of a comparison with protobufjs alone: the writer's schema must read the bytes, and the
 * reader's must refuse them or read something else.
 *
 * @returns how many were replayed; those of JSON forms and of rules have no bytes.
 * @throws Error naming a witness that does not fail.
 */
export function replayProtobuf(older: unknown, newer: unknown, { findings }: CompatibilityResult): number {
  const [writer, reader] = [rootOf(older), rootOf(newer)];
  if (writer === undefined || reader === undefined) return 0;
  let replayed = 0;
  for (const { witness, newerPointer, code } of findings) {
    if (witness === undefined && !code.startsWith("rule-")) throw new Error(`${code} has no witness`);
    for (const { codec, contentType, payload } of witness?.encodings ?? []) {
      if (codec !== "protobuf") continue;
      const sent = writer.lookupType(contentType.split("messageType=")[1] ?? "");
      const read = typeAt(reader, newerPointer);
      if (read === undefined) throw new Error(`${code}: ${newerPointer} is no type of the reader's`);
      // A default travels in no message.
      const defaults = code === "field-default-changed";
      const meant = formOf(sent, sent.decode(payload), defaults);
      if (meant === outcomeOf(read, payload, defaults))
        throw new Error(`${code}: the reader reads ${meant} as it was meant`);
      replayed++;
    }
  }
  return replayed;
}

/** `undefined` for schemas that need files which protobufjs does not bring along. */
function rootOf(source: unknown): Root | undefined {
  const root = new Root();
  const texts = typeof source === "string" ? [source] : Object.values(Object(source)).map(String);
  for (const text of texts)
    for (const [, name = ""] of text.matchAll(/import\s+(?:public\s+)?"([^"]+)"/g)) {
      const bundled = common.get(name)?.nested;
      if (bundled !== undefined) root.addJSON(bundled);
    }
  try {
    for (const text of texts) parse(text, root, { keepCase: true });
    root.resolveAll();
    return root;
  } catch {
    return undefined;
  }
}

/** A pointer names a field, or the message when the reader lacks the field. */
function typeAt(root: Root, pointer: string): Type | undefined {
  for (const name of [pointer, pointer.slice(0, Math.max(0, pointer.lastIndexOf(".")))]) {
    const found = name === "" ? null : root.lookup(name);
    if (found instanceof Type) return found;
  }
  return undefined;
}

function outcomeOf(type: Type, payload: Uint8Array, defaults: boolean): string | undefined {
  try {
    return formOf(type, type.decode(payload), defaults);
  } catch {
    return undefined;
  }
}

/** The set fields, or all of them with their defaults, by number, with their values as protobufjs has them. */
function formOf(type: Type, message: object, defaults: boolean): string {
  const plain: Readonly<Record<string, unknown>> = type.toObject(type.decode(type.encode(message).finish()), {
    longs: String,
    bytes: String,
    enums: Number,
    defaults,
  });
  const byNumber = type.fieldsArray.flatMap((field) =>
    plain[field.name] === undefined ? [] : [[field.id, plain[field.name]] as const],
  );
  return JSON.stringify(byNumber.toSorted(([a], [b]) => a - b));
}
