import { describe, expect, it } from "vitest";
import { decodeValues } from "../../../../src/core/amqp-values/read-value.ts";
import { encodeValue } from "../../../../src/core/amqp-values/encode-value.ts";
import { fromTypedJson, toTypedJson } from "../../../../codecs/amqp/index.ts";
import { decodeMessage } from "../../../../src/wire/amqp/message/decode-message.ts";
import { encodeMessage } from "../../../../src/wire/amqp/message/encode-message.ts";
import { parseMessage } from "../../../../src/wire/amqp/message/amqp-message.ts";
import { writeMessage } from "../../../../src/wire/amqp/message/write-message.ts";
import { amend, sizeOf } from "../../../../src/core/envelope/index.ts";
import { SobreError } from "../../../../src/core/errors/index.ts";
import { hex, lines, type Vector } from "../../../core/amqp-values/vectors.support.ts";
import { withoutStacks } from "../../../stackless.support.ts";
import { ofVectors } from "../../../vectors.support.ts";

const sets = ["messages", "proton-client-messages"] as const;

/** The messages of a set, all of them. */
function messagesOf(name: (typeof sets)[number]): readonly Vector[] {
  const messages = lines(`open/${name}.jsonl`);
  const count = { messages: ofVectors(300, 20), "proton-client-messages": ofVectors(60, 10) };
  expect(messages).toHaveLength(count[name]);
  return messages;
}

describe("the AMQP message vectors", () => {
  withoutStacks();

  it.each(sets)("reads and writes every section of %s with its types", (name) => {
    for (const { id, hex: encoding, sections } of messagesOf(name)) {
      const decoded = decodeValues(hex(encoding));
      const written = Buffer.concat((sections ?? []).map((section) => encodeValue(fromTypedJson(section))));

      expect(decoded.map(toTypedJson), id).toEqual(sections);
      expect(decodeValues(written).map(toTypedJson), id).toEqual(sections);
    }
  });

  it.each(sets)("rewrites every message of %s from its sections with the same content", (name) => {
    for (const { id, hex: encoding, sections } of messagesOf(name)) {
      const written = writeMessage(parseMessage(hex(encoding)));

      expect(decodeValues(written).map(toTypedJson).map(withoutTrailingNulls), id).toEqual(
        sections?.map(withoutTrailingNulls),
      );
    }
  });

  it.each(sets)("gives every untouched message of %s back byte for byte, of the size it says", (name) => {
    for (const { id, hex: encoding } of messagesOf(name)) {
      const bytes = hex(encoding);
      const envelope = decodeMessage(bytes);

      expect(Buffer.from(encodeMessage(envelope)).toString("hex"), id).toBe(encoding);
      expect(sizeOf(envelope), id).toBe(bytes.byteLength);
    }
  });

  it.each(sets)("changes no other section of %s when one application property is changed", (name) => {
    for (const { id, hex: encoding } of messagesOf(name)) {
      const before = parseMessage(hex(encoding));
      const envelope = amend(decodeMessage(hex(encoding)), { applicationProperties: { added: 1 } });
      const after = parseMessage(encodeMessage(envelope));

      expect(after.applicationProperties?.get("added"), id).toBe(1);
      expect(otherSections(after), id).toEqual(otherSections(before));
      expect(sizeOf(envelope), id).toBe(after.bytes.byteLength);
      const kept = Array.from(after.applicationProperties ?? []).filter(([key]) => key !== "added");
      expect(kept, id).toEqual(Array.from(before.applicationProperties ?? []));
    }
  });

  it.each(sets)("refuses every cut of %s that is not at a section border", (name) => {
    for (const { id, hex: encoding } of messagesOf(name)) {
      const bytes = hex(encoding);
      const borders = new Set([
        0,
        ...parseMessage(bytes)
          .borders()
          .map(({ end }) => end),
      ]);

      for (let length = 0; length < bytes.byteLength; length++) {
        const readable = isReadable(bytes.subarray(0, length));
        if (readable !== borders.has(length)) expect.unreachable(`${id} cut at ${length}`);
      }
    }
  });
});

function isReadable(bytes: Uint8Array): boolean {
  try {
    decodeMessage(bytes, { check: false });
    return true;
  } catch (error) {
    if (error instanceof SobreError) return false;
    throw error;
  }
}

function otherSections(message: ReturnType<typeof parseMessage>): readonly string[] {
  return message
    .borders()
    .filter(({ name }) => name !== "applicationProperties")
    .map(({ start, end }) => Buffer.from(message.bytes.subarray(start, end)).toString("hex"));
}

/** A composite with its last fields null is the same as one without them. */
function withoutTrailingNulls(section: unknown): unknown {
  const json = JSON.stringify(section);
  const code = /"d":\{"t":"ulong","v":"(112|115)"\}/.exec(json);
  return code === null
    ? section
    : JSON.parse(
        json.replace(/(\[|,)\{"t":"null"\}(?:,\{"t":"null"\})*\]\}\}$/, (_all, before) =>
          before === "[" ? "[]}}" : "]}}",
        ),
      );
}
