import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { encodeValue } from "../../src/core/amqp-values/encode-value.ts";
import { fromTypedJson } from "../../codecs/amqp/index.ts";
import { amend, createEnvelope } from "../../src/core/envelope/index.ts";
import { typed } from "../../src/core/values/typed-makers.ts";
import { decodeMessage } from "../../src/wire/amqp/message/decode-message.ts";
import { encodeMessage } from "../../src/wire/amqp/message/encode-message.ts";
import { writeMessage } from "../../src/wire/amqp/message/write-message.ts";
import { SobreError } from "../../src/core/errors/index.ts";
import { protonPython } from "./installed.support.ts";
import { hex, lines } from "../core/amqp-values/vectors.support.ts";
import { ofVectors } from "../vectors.support.ts";

const script = fileURLToPath(new URL("./proton_oracle.py", import.meta.url));

const int = (v: number): unknown => ({ t: "int", v });

/** The values that qpid-proton reads in the encodings. */
function read(encodings: readonly Uint8Array[]): readonly unknown[] {
  const input = encodings.map((bytes) => Buffer.from(bytes).toString("hex")).join("\n");
  const { stdout, status, stderr } = spawnSync(protonPython, [script], { input, encoding: "utf8", maxBuffer: 2 ** 28 });
  expect(stderr).toBe("");
  expect(status).toBe(0);
  return stdout
    .trim()
    .split("\n")
    .map((line): unknown => JSON.parse(line));
}

/** Whether the message keeps the rules of an envelope: some ids of the vectors are too long. */
function isAmendable(bytes: Uint8Array): boolean {
  try {
    decodeMessage(bytes, { check: true });
    return true;
  } catch (error) {
    if (error instanceof SobreError && error.code === "InvalidArgument") return false;
    throw error;
  }
}

describe("qpid-proton", () => {
  it.each(["alt-encoding-values", "proton-values"])(
    "reads our encoding of every description of %s as that description",
    (name) => {
      const entries = lines(`open/${name}.jsonl`);

      const seen = read(entries.map(({ value }) => encodeValue(fromTypedJson(value))));

      expect(entries.length).toBeGreaterThan(ofVectors(290, 45));
      for (const [index, { id, value }] of entries.entries()) expect(seen[index], id).toEqual([value]);
    },
  );

  it.each(["messages", "proton-client-messages"])(
    "reads our encoding of every section of %s as it is described",
    (name) => {
      const entries = lines(`open/${name}.jsonl`);

      const seen = read(
        entries.map(({ sections = [] }) => Buffer.concat(sections.map((part) => encodeValue(fromTypedJson(part))))),
      );

      expect(entries.length).toBeGreaterThanOrEqual(ofVectors(60, 10));
      for (const [index, { id, sections }] of entries.entries()) expect(seen[index], id).toEqual(sections);
    },
  );

  it("reads the amended messages that we write", () => {
    const entries = lines("open/messages.jsonl").filter(({ hex: encoding }) => isAmendable(hex(encoding)));

    const seen = read(
      entries.map(({ hex: encoding }) =>
        encodeMessage(
          amend(decodeMessage(hex(encoding)), {
            brokerProperties: { subject: "amended" },
            applicationProperties: { added: typed.uint(7) },
          }),
        ),
      ),
    );

    expect(entries.length).toBeGreaterThan(ofVectors(200, 10));
    for (const [index, { id }] of entries.entries()) {
      const text = JSON.stringify(seen[index]);
      expect(text, id).toContain('"v":"amended"');
      expect(text, id).toContain('[{"t":"string","v":"added"},{"t":"uint","v":7}]');
    }
  });

  it("reads the widest and the narrowest forms that we write", () => {
    const long = "x".repeat(300);
    const many = Array.from({ length: 300 }, (_, index) => index);

    const seen = read([
      encodeValue({ [long]: many }),
      encodeValue(typed.array("string", [long, "a"])),
      encodeValue(typed.array("list", [[], [1], many])),
      writeMessage({ header: {}, applicationProperties: {}, body: { kind: "value", value: null } }),
      encodeMessage(
        createEnvelope({ payload: new Uint8Array(300), brokerProperties: { timeToLive: 1000, messageId: 5n } }),
      ),
    ]);

    expect(seen.slice(0, 3)).toEqual([
      [
        {
          t: "map",
          v: [
            [
              { t: "string", v: long },
              { t: "list", v: many.map(int) },
            ],
          ],
        },
      ],
      [{ t: "array", of: "string", v: [long, "a"] }],
      [{ t: "array", of: "list", v: [[], [int(1)], many.map(int)] }],
    ]);
    expect(JSON.stringify(seen)).not.toContain("error");
  });
});
