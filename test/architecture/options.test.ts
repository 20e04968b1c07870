import { describe, expect, it } from "vitest";
import { createEnvelope } from "../../src/core/envelope/envelope.ts";
import { memoryInbox } from "../../src/client/client/index.ts";
import { memoryOutbox } from "../../src/client/inbox/index.ts";
import { memoryEngine } from "../../src/broker/memory/memory-engine.ts";
import { jsonSchema } from "../../src/core/json-schema/json-schema.ts";
import { rejection } from "../refusal.support.ts";
import { entryPoints } from "./surface.support.ts";

/** Parameters of these types are options, or change what is made as options do. */
const isOptions = /(?:Options|Init|Changes)$/;

const envelope = createEnvelope({ payload: new Uint8Array() });

/** The arguments before the options, of every function that takes more than options. */
const before: Readonly<Record<string, readonly unknown[]>> = {
  idempotent: [memoryInbox(), () => undefined],
  startOutbox: [memoryEngine(), memoryOutbox()],
  amend: [envelope],
  envelopeToHttp: [envelope],
  parseMessage: [new Uint8Array()],
  decodeBatch: [new Uint8Array()],
  encodeBatch: [[envelope]],
  decodeMessage: [new Uint8Array()],
  encodeMessage: [envelope],
  cloudEventToEnvelope: [{ id: "1", source: "/a", type: "a" }],
  encodeValue: [1],
  decodeValue: [Uint8Array.of(0x40)],
  decodeValues: [Uint8Array.of(0x40)],
  readMessageType: ["schemas", "stock.moved"],
  messageTypeFromFiles: ["shop.order", { schemas: { 1: true }, examples: {} }],
  createCaptureSource: ["-"],
  createFolderSource: ["schemas"],
  createFileSource: ["schemas"],
  createQueueSource: [memoryEngine({ queues: ["a"] }), "a"],
  defineMessage: ["shop.order", { 1: jsonSchema(true) }],
  jsonSchema: [{ type: "string" }],
};

/** Functions whose parameters say in another way that they take options. */
const others: readonly string[] = ["bytes", "createEnvelope", "defineMessage"];

/** An `Init` that is a message as it is written, and takes any member that a message has. */
const messageWriters: ReadonlySet<string> = new Set(["writeMessage"]);

const optionTakers = [
  ...new Map(
    entryPoints.flatMap(({ file, names }) =>
      Array.from(names.values())
        .filter((one) => one !== undefined && !messageWriters.has(one.name))
        .filter((one) => one?.parameters.some((type) => isOptions.test(type)) || others.includes(one?.name ?? ""))
        .map((one) => [one?.id, { file, name: one?.name ?? "", parameters: one?.parameters ?? [] }] as const),
    ),
  ).values(),
];

describe("an unknown option", () => {
  it("is tried on every function that takes options", () => {
    expect(optionTakers.length).toBeGreaterThan(40);
    expect(others.filter((name) => !optionTakers.some((taker) => taker.name === name))).toEqual([]);
  });

  it.each(optionTakers)("of $name is refused by its name", async ({ file, name, parameters }) => {
    const module: Readonly<Record<string, unknown>> = await import(new URL(`../../${file}`, import.meta.url).href);
    const call = module[name];
    const given = before[name] ?? [];
    const options = { misspelt: 1 };

    const outcome = (async (): Promise<unknown> =>
      typeof call === "function" ? Reflect.apply(call, undefined, [...given, options]) : undefined)();
    const error = await rejection(outcome);

    expect(error).toMatchObject({
      code: "InvalidArgument",
      message: expect.stringContaining("Unknown option `misspelt`"),
    });
    expect(parameters.length === 0 || parameters.length > given.length).toBe(true);
  });
});
