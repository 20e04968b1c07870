import { SobreError } from "../../../src/core/errors/sobre-error.ts";
import { jsonKind, type JsonTape } from "./json-tape.ts";

/**
 * Refuses a document with a member named `__proto__`, like `json()`.
 *
 * @throws SobreError `DecodeFailed` with the byte offset of the name.
 */
export function refuseProtoKey(tape: JsonTape, offsetOf: (index: number) => number): void {
  // Nearly all documents lack the name, in letters and in escapes.
  if (!tape.text.includes("__proto__") && !/\\u005f/i.test(tape.text)) return;
  const pending = [0];
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    const kind = tape.kind(at);
    if (kind !== jsonKind.list && kind !== jsonKind.object) continue;
    for (let next = at + 1; next < tape.end(at);) {
      const value = kind === jsonKind.object ? next + 1 : next;
      if (value !== next && tape.isNamed(next, "__proto__")) {
        const offset = offsetOf(tape.start(next));
        throw new SobreError(
          "DecodeFailed",
          `The JSON has a member that names the prototype, at byte ${offset}, which option protoKey refuses.`,
          { offset },
        );
      }
      pending.push(value);
      next = tape.next(value);
    }
  }
}
