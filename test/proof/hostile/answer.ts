import type { Answer } from "./cases.ts";

/** Frames that say that something has ended, the largest first, by their descriptors (AMQP 1.0 part 2.7). */
const ends = [
  ["connection", 0x18],
  ["session", 0x17],
  ["link", 0x16],
  ["message", 0x15],
  ["reply", 0x14],
] as const;

const condition = /(?:amqp|com\.microsoft):[a-z:-]+/;

/** The answer of a server by the bytes that it has written. */
export function answerOf(told: string, over: boolean): Answer {
  const bytes = Buffer.from(told, "latin1");
  const found = new Map<number, string>();
  let isClosed = false;
  for (let at = 0; at < bytes.byteLength;) {
    if (bytes.toString("latin1", at, at + 4) === "AMQP") {
      at += 8;
      continue;
    }
    const size = bytes.readUInt32BE(at);
    const code = bytes[at + 10] ?? 0;
    isClosed ||= code === 0x18;
    const text = bytes.toString("latin1", at + 11, at + size);
    const [name] = condition.exec(text) ?? [];
    if (name !== undefined) found.set(code, name);
    // The fourth code of the outcome of SASL says that the peer has failed.
    if (code === 0x44 && bytes[at + size - 1] !== 0) found.set(code, "sasl");
    at += Math.max(8, size);
  }
  for (const [what, code] of ends) {
    const name = found.get(code);
    if (name !== undefined && (code === 0x18) === over) return `${what} ${name}`;
  }
  if (found.has(0x44)) return "sasl";
  return over && !isClosed ? "header" : "none";
}
