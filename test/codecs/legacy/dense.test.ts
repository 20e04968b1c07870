import { expect, it } from "vitest";
import { defaultDecodeLimits } from "../../../src/core/codec/index.ts";
import { SobreError } from "../../../src/core/errors/index.ts";
import { densePayloads } from "./dense.support.ts";
import { decodedBy, errorOf } from "./reading.support.ts";

/** A part of a mebibyte, with as small a part of the items: `npm run prove -- legacy-dense` reads it whole, and measures. */
const part = 16;
const size = 2 ** 20 / part;
const limits = { maxItems: Math.floor(defaultDecodeLimits.maxItems / part) };
const [read, refused] = [false, true].map((beyond) => densePayloads.filter((dense) => dense.refused === beyond));

it.each(read ?? [])("$name, as many as there is room for, are read", ({ decoder, bytes }) => {
  const payload = bytes(size);

  const { body } = decodedBy(decoder, payload, limits);

  expect(payload.length).toBeGreaterThan(size - 64);
  expect(body).toBeTypeOf("object");
  expect(Object.keys(body ?? {}).length).toBeGreaterThan(0);
});

it.each(refused ?? [])("$name, as many as there is room for, are beyond the limit of items", ({ decoder, bytes }) => {
  const payload = bytes(size);

  const error = errorOf(() => decodedBy(decoder, payload, limits));

  expect(error).toBeInstanceOf(SobreError);
  expect(error.code).toBe("LimitExceeded");
  expect(error.offset).toBeLessThanOrEqual(payload.length);
});
