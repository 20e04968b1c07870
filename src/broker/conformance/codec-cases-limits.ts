import type { DecodeLimits } from "../../core/codec/limits.ts";
import { type CodecCase, expect, thrownBy } from "./codec-case.ts";
import { type CodecTarget, decodeFor, encodeFor } from "./codec-target.ts";
import { expectDecodeError, expectSobreError } from "./codec-errors.ts";

/** That the budgets of the context hold. */
export const limitCases: readonly CodecCase[] = [
  {
    name: "limit-bytes",
    promise: "A payload of more than limits.maxBytes is refused with LimitExceeded; one of just as many is read.",
    run(target) {
      const payload = target.samples.map((sample) => encodeFor(target, sample)).find((bytes) => bytes.length > 1);
      if (payload === undefined) throw new Error("No sample has a payload of two bytes.");
      decodeFor(target, payload, { maxBytes: payload.length });
      expectLimit(target, payload, { maxBytes: payload.length - 1 });
    },
  },
  {
    name: "limit-depth",
    promise: "A payload nested deeper than limits.maxDepth is refused with LimitExceeded; one just as deep is read.",
    skip: (target) => (nested(target) === undefined ? "The format has no nesting." : undefined),
    run(target) {
      for (const depth of [2, 5, 100]) {
        const payload = encodeFor(target, nested(target)?.(depth));
        decodeFor(target, payload, { maxDepth: depth });
        expectLimit(target, payload, { maxDepth: depth - 1 });
      }
    },
  },
  {
    name: "limit-depth-hostile",
    promise: "Nesting far beyond the limit is refused with a SobreError, and the stack holds.",
    skip: ({ nestedPayload }) => (nestedPayload === undefined ? "The target brings no nestedPayload." : undefined),
    run(target) {
      const payload = target.nestedPayload?.(200_000) ?? new Uint8Array(0);
      const thrown = thrownBy(() => decodeFor(target, payload));
      if (thrown === undefined) throw new Error("A payload nested 200,000 levels deep was read.");
      expectSobreError(thrown.error);
    },
  },
  {
    name: "limit-items",
    promise: "A payload of many more items than limits.maxItems is refused with LimitExceeded; one of fewer is read.",
    skip: (target) => (many(target) === undefined ? "The format has no items." : undefined),
    run(target) {
      for (const count of [10, 1000]) {
        const payload = encodeFor(target, many(target)?.(count));
        // Each format decides whether containers count as items in addition to their elements.
        decodeFor(target, payload, { maxItems: 3 * count });
        expectLimit(target, payload, { maxItems: Math.floor(count / 2) });
      }
    },
  },
];

function expectLimit(target: CodecTarget, payload: Uint8Array, limits: Partial<DecodeLimits>): void {
  const thrown = thrownBy(() => decodeFor(target, payload, limits));
  expect(thrown !== undefined, `Read a payload of ${payload.length} bytes in spite of ${JSON.stringify(limits)}.`);
  expectDecodeError(thrown?.error, payload);
  expectSobreError(thrown?.error, "LimitExceeded");
}

function nested({ nested: given, knownTypeOnly }: CodecTarget): ((depth: number) => unknown) | undefined {
  if (given !== undefined) return given === "flat" ? undefined : given;
  if (knownTypeOnly === true) return undefined;
  return (depth) => {
    let body: unknown[] = [];
    for (let level = 1; level < depth; level++) body = [body];
    return body;
  };
}

function many({ many: given, knownTypeOnly }: CodecTarget): ((count: number) => unknown) | undefined {
  if (given !== undefined) return given === "flat" ? undefined : given;
  return knownTypeOnly === true ? undefined : (count) => Array.from({ length: count }, (_, index) => index);
}
