import { type CodecCase, expect, thrownBy } from "./codec-case.ts";
import { type CodecTarget, decodeContext, decodeFor, encodeFor } from "./codec-target.ts";
import { expectDecodeError, expectSobreError } from "./codec-errors.ts";
import { sameBytes } from "./codec-equality.ts";
import { hostilePayloads } from "./codec-mutation.ts";

/** A codec's answers to hostile bytes. */
export const hostileCases: readonly CodecCase[] = [
  {
    name: "hostile-bytes",
    promise: "Random, truncated and mutated payloads are read or refused with a SobreError that quotes nothing.",
    run(target) {
      const context = decodeContext(target);
      for (const payload of payloads(target)) {
        const before = payload.slice();
        const thrown = thrownBy(() => target.codec.decode(payload, context));
        if (thrown !== undefined) expectDecodeError(thrown.error, payload);
        expect(sameBytes(payload, before), "Decoding changed the bytes of the payload.");
      }
    },
  },
  {
    name: "secret-names",
    promise: "Errors inside a payload name none of its members, neither in the message nor in the path.",
    skip: ({ knownTypeOnly }) => (knownTypeOnly === true ? "The names are those of the type." : undefined),
    run(target) {
      const context = decodeContext(target);
      for (const payload of payloadsOfNames(target)) {
        const thrown = thrownBy(() => target.codec.decode(payload, context));
        if (thrown !== undefined) expectDecodeError(thrown.error, payload);
      }
    },
  },
  {
    name: "hostile-sniff",
    promise: "Sniffing never throws, whatever the bytes, and changes nothing.",
    skip: ({ codec }) => (codec.sniff === undefined ? "The codec does not sniff." : undefined),
    run(target) {
      for (const payload of [new Uint8Array(0), ...payloads(target)]) {
        const before = payload.slice();
        const answer: unknown = target.codec.sniff?.(payload);
        expect(answer === "no" || answer === "weak" || answer === "strong", `Sniffs ${String(answer)}.`);
        expect(sameBytes(payload, before), "Sniffing changed the bytes of the payload.");
      }
    },
  },
  {
    name: "prototype",
    promise: "No payload and no body changes a prototype or renames a member.",
    run(target) {
      const prototypes = [Object.prototype, Array.prototype, Function.prototype];
      const before = prototypes.map((prototype) => Reflect.ownKeys(prototype).length);
      for (const body of target.knownTypeOnly === true ? [] : pollutingBodies()) expectHarmless(target, body);
      for (const payload of target.hostile ?? []) thrownBy(() => decodeFor(target, payload));
      const after = prototypes.map((prototype) => Reflect.ownKeys(prototype).length);
      expect(
        after.every((count, index) => count === before[index]),
        "A prototype has gained a member.",
      );
    },
  },
];

function* payloads(target: CodecTarget): Generator<Uint8Array> {
  yield* target.hostile ?? [];
  const valid = target.samples.map((sample) => encodeFor(target, sample));
  yield* hostilePayloads(valid, target.rounds ?? 3000, target.seed ?? 1);
}

/** Payloads of which member names say what nobody but the sender may know; every byte of each is broken once. */
function* payloadsOfNames(target: CodecTarget): Generator<Uint8Array> {
  const inner = { "4111-1111-1111-1111": [1, { [placeholder]: 2 }] };
  const bodies = [{ "alice@example.com": inner }, { users: { "bob@example.com": inner } }];
  for (const body of bodies) {
    let payload: Uint8Array | undefined;
    // Bytes and text have no members.
    if (thrownBy(() => (payload = encodeFor(target, body))) !== undefined || payload === undefined) continue;
    yield named(payload, "__proto__");
    for (let at = 0; at < payload.length; at++) {
      yield payload.slice(0, at);
      for (const byte of [0x00, 0x22, 0x5d, 0xc1, 0xff]) yield payload.with(at, byte);
    }
  }
}

/** A placeholder in a payload for a name that the encoder refuses. */
const placeholder = "_-proto-_";

/** The payload with another name of the same length in place of {@link placeholder}; ASCII, or UTF-16 in either order. */
function named(payload: Uint8Array, name: string): Uint8Array {
  const changed = payload.slice();
  for (const step of [1, 2]) {
    for (let at = 0; at + step * placeholder.length <= payload.length; at++) {
      const found = Array.from(placeholder, (_, index) => payload[at + step * index]);
      if (String.fromCharCode(...found.map(Number)) !== placeholder) continue;
      for (let index = 0; index < name.length; index++) changed[at + step * index] = name.charCodeAt(index);
    }
  }
  return changed;
}

function* pollutingBodies(): Generator<object> {
  for (const name of ["__proto__", "constructor", "prototype", "toString"]) {
    const body = { list: [1] };
    Object.defineProperty(body, name, {
      value: { polluted: true },
      enumerable: true,
      configurable: true,
      writable: true,
    });
    yield body;
  }
}

function expectHarmless(target: CodecTarget, body: object): void {
  let decoded: unknown;
  const thrown = thrownBy(() => {
    decoded = decodeFor(target, encodeFor(target, body)).body;
  });
  if (thrown !== undefined) {
    expectSobreError(thrown.error);
    return;
  }
  if (typeof decoded !== "object" || decoded === null) throw new Error("An object came back as something else.");
  const names = decoded instanceof Map ? [...decoded.keys()] : Object.keys(decoded);
  expect(!("polluted" in decoded), "A member of the payload became the prototype of the body.");
  expect(
    Object.keys(body).every((name) => names.includes(name)),
    "A member was renamed or dropped.",
  );
}
