import { matchesRange } from "../../core/content-type/media-range.ts";
import { parseContentType } from "../../core/content-type/content-type.ts";
import { parseMediaRange } from "../../core/content-type/parse-media-range.ts";
import { type CodecCase, expect, thrownBy } from "./codec-case.ts";
import { type CodecTarget, decodeFor, encodeFor, sameBody } from "./codec-target.ts";
import { expectDecodeError, expectSobreError } from "./codec-errors.ts";
import { sameBytes } from "./codec-equality.ts";

/** A codec's description of itself, and how its bodies come back. */
export const formCases: readonly CodecCase[] = [
  {
    name: "names",
    promise: "The name is short and in lower case, and the content type it writes is one it accepts.",
    run({ codec }) {
      expect(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(codec.name), `The name "${codec.name}" is not short and lower case.`);
      expect(codec.accepts.length > 0, "It accepts no content type.");
      for (const range of codec.accepts) {
        const text = `${range.type}/${range.subtype}`;
        expect(parseMediaRange(text).subtype === range.subtype, `"${text}" is not a media range in lower case.`);
      }
      const own = parseContentType(codec.contentType);
      const accepted = codec.accepts.some((range) => matchesRange(range, own));
      expect(accepted, `It writes ${codec.contentType}, which it does not accept.`);
    },
  },
  {
    name: "round-trip",
    promise: "Every sample comes back as the same value, and encoding it again changes nothing.",
    run(target) {
      expect(target.samples.length > 0, "The target has no samples.");
      for (const [index, sample] of target.samples.entries()) {
        const first = encodeFor(target, sample);
        const second = encodeFor(target, sample);
        const bodies = [decodeFor(target, first).body, decodeFor(target, second).body];
        const same = bodies.every((body) => sameBody(target, body, sample));
        expect(same, `samples[${index}] did not come back as the same value.`);
      }
    },
  },
  {
    name: "written-is-read",
    promise: "The codec reads back what it writes as the same value, and refuses to write what it would not read.",
    skip: ({ knownTypeOnly }) => (knownTypeOnly === true ? "The bodies are not of its type." : undefined),
    run(target) {
      for (const [name, body] of awkwardBodies()) {
        let payload: Uint8Array = new Uint8Array(0);
        const refused = thrownBy(() => {
          payload = encodeFor(target, body);
        });
        if (refused !== undefined) {
          expectSobreError(refused.error, "UnsupportedValue");
          continue;
        }
        const { body: back } = decodeFor(target, payload, { maxDepth: 2000 });
        expect(sameBody(target, back, body), `${name} was written, and did not come back as the same value.`);
      }
    },
  },
  {
    name: "own-bytes",
    promise: "Neither an encoded payload nor a decoded body is changed by later calls.",
    run(target) {
      const payloads = target.samples.map((sample) => encodeFor(target, sample));
      const copies = payloads.map((payload) => payload.slice());
      const bodies = payloads.map((payload) => decodeFor(target, payload).body);
      for (const sample of target.samples.toReversed()) decodeFor(target, encodeFor(target, sample));
      for (const [index, payload] of payloads.entries()) {
        expect(sameBytes(payload, copies[index]), `The payload of samples[${index}] changed after it was handed out.`);
        const kept = sameBody(target, bodies[index], target.samples[index]);
        expect(kept, `The body of samples[${index}] changed after it was handed out.`);
      }
    },
  },
  {
    name: "view",
    promise: "A payload that is a view into a larger buffer is read by its own bounds and not changed.",
    run(target) {
      for (const [index, sample] of target.samples.entries()) {
        const payload = encodeFor(target, sample);
        const room = new Uint8Array(payload.length + 7).fill(0x22);
        room.set(payload, 3);
        const before = room.slice();
        const { body } = decodeFor(target, room.subarray(3, 3 + payload.length));
        expect(sameBody(target, body, sample), `samples[${index}] is read differently out of a larger buffer.`);
        expect(sameBytes(room, before), `Decoding samples[${index}] changed the bytes.`);
      }
    },
  },
  {
    name: "empty-payload",
    promise: "Zero bytes are the empty value of a format that has one, and are otherwise refused with a SobreError.",
    run(target) {
      const payload = new Uint8Array(0);
      if (target.emptyBody !== undefined) {
        const same = sameBody(target, decodeFor(target, payload).body, target.emptyBody);
        return expect(same, "Zero bytes decode to something else than the target's emptyBody.");
      }
      const thrown = thrownBy(() => decodeFor(target, payload));
      if (thrown === undefined) throw new Error("Zero bytes were read, and the target has no emptyBody.");
      expectDecodeError(thrown.error, payload);
    },
  },
  {
    name: "undefined-body",
    promise: "The body undefined is written as zero bytes, or refused with UnsupportedValue.",
    run(target) {
      let payload: Uint8Array = new Uint8Array(0);
      const thrown = thrownBy(() => {
        payload = encodeFor(target, undefined);
      });
      if (thrown !== undefined) expectSobreError(thrown.error, "UnsupportedValue");
      expect(payload.length === 0, `The body undefined was written as ${payload.length} bytes.`);
    },
  },
  {
    name: "sniff",
    promise: "Sniffing its own output never says no.",
    skip: ({ codec }) => (codec.sniff === undefined ? "The codec does not sniff." : undefined),
    run(target) {
      for (const [index, sample] of target.samples.entries()) {
        const answer = target.codec.sniff?.(encodeFor(target, sample));
        expect(
          answer === "weak" || answer === "strong",
          `Sniffs ${String(answer)} on the payload of samples[${index}].`,
        );
      }
    },
  },
  {
    name: "unsupported-value",
    promise:
      "A value that the format cannot hold is refused with UnsupportedValue and its path, never changed or left out.",
    run(target) {
      for (const [index, { body, path }] of unsupportedBodies(target).entries()) {
        const thrown = thrownBy(() => encodeFor(target, body));
        if (thrown === undefined) throw new Error(`Unsupported body ${index} was encoded.`);
        const error = expectSobreError(thrown.error, "UnsupportedValue");
        const due = path ?? "a path from $";
        const right = path === undefined ? error.path?.startsWith("$") === true : error.path === path;
        expect(right, `The error of unsupported body ${index} carries the path ${String(error.path)}, not ${due}.`);
      }
    },
  },
];

/** Bodies at the edge of what formats hold. */
function* awkwardBodies(): Generator<readonly [name: string, body: unknown]> {
  yield ["An own member __proto__", { a: { ["__proto__"]: 1 } }];
  yield ["A list in 600 lists", Array.from({ length: 600 }).reduce<unknown[]>((inner) => [inner], [])];
  yield ["A bigint of 5,000 digits", [10n ** 4999n]];
  yield ["A negative bigint of 64 bits", [-(2n ** 63n)]];
  yield ["Infinity", [Infinity]];
  yield ["NaN", [Number.NaN]];
  yield ["An integer beyond 2^53", [1e16]];
  yield ["The greatest number", [Number.MAX_VALUE]];
  yield ["Half a surrogate pair", ["\ud800"]];
  yield ["A text that begins with a byte-order mark", ["\ufefftext"]];
  yield ["Names that are empty, numeric or long", { "": 1, "1": 2, ["n".repeat(70_000)]: 3 }];
}

function unsupportedBodies(target: CodecTarget): NonNullable<CodecTarget["unsupported"]> {
  const bare = [
    { body: () => 1, path: "$" },
    { body: Symbol("unsupported"), path: "$" },
  ];
  const nested = [{ body: { list: [1, () => 1] } }, { body: { member: Symbol("unsupported") } }];
  return target.unsupported ?? (target.knownTypeOnly === true ? bare : [...bare, ...nested]);
}
