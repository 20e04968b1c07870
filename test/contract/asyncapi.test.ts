import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { exportAsyncApi } from "../../src/contract/exchange/asyncapi-export.ts";
import { type ImportedSubject, importAsyncApi } from "../../src/contract/exchange/asyncapi-import.ts";
import { parseYaml } from "../../src/contract/sources/yaml.ts";
import { type Subject, subjectOf } from "../../src/contract/subjects/subject.ts";
import { emulatorConfig } from "../../src/broker/emulator-config/index.ts";
import { isObject } from "../../src/core/values/plain-object.ts";
import { sobre } from "../cli/calls.support.ts";
import { check, contractFolders } from "../cli/contract/folders.support.ts";
import { lostOfStreetlights, multiFormat, requestReply, streetlights } from "./asyncapi.support.ts";

const { folderOf } = contractFolders();

interface Imported {
  readonly code: number;
  readonly text: string;
  readonly errors: string;
  readonly folder: string;
  readonly schemas: string;
  readonly config: string;
  readonly lost: readonly string[];
}

async function imported(name: string, document: unknown, ...args: readonly string[]): Promise<Imported> {
  const folder = folderOf({ [name]: document });
  const [schemas, config] = [join(folder, "schemas"), join(folder, "Config.json")];
  const { code, terminal } = await sobre(
    "contract",
    "import",
    "asyncapi",
    join(folder, name),
    "-s",
    schemas,
    "-c",
    config,
    ...args,
  );
  const text = terminal.text();
  const lost = Array.from(text.matchAll(/^not carried: (.*)$/gm), ([, pointer = ""]) => pointer);
  return { code, text, errors: terminal.errors(), folder, schemas, config, lost };
}

async function exported(schemas: string, ...args: readonly string[]): Promise<unknown> {
  const { code, terminal } = await sobre("contract", "export", "asyncapi", "-s", schemas, ...args);
  expect(terminal.errors()).toBe("");
  expect(code).toBe(0);
  return args.includes("yaml") ? parseYaml(terminal.text(), "export") : JSON.parse(terminal.text());
}

/** A document without some parts. */
function without(document: unknown, pointers: readonly string[]): unknown {
  const copy: unknown = structuredClone(document);
  for (const pointer of pointers) {
    const steps = pointer
      .split("/")
      .slice(1)
      .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
    const last = steps.pop() ?? "";
    const holder = steps.reduce<unknown>((value, step) => (isObject(value) ? value[step] : undefined), copy);
    if (isObject(holder)) Reflect.deleteProperty(holder, last);
  }
  return copy;
}

/** The pointers of the objects of a document. */
function placesIn(value: unknown, pointer = ""): readonly string[] {
  if (!isObject(value) || "$ref" in value) return [];
  return [pointer, ...Object.entries(value).flatMap(([name, inner]) => placesIn(inner, `${pointer}/${name}`))];
}

function at(value: unknown, pointer: string): unknown {
  return pointer
    .split("/")
    .slice(1)
    .reduce<unknown>((holder, step) => Object(holder)[step], value);
}

/** A subject with the version that an import writes. */
function released({ name, format, schema }: ImportedSubject): Subject {
  const text = typeof schema === "string" ? schema : JSON.stringify(schema);
  return subjectOf(name, {}, [{ version: "1.0", format, file: `${name}/1.0`, text, parts: [], schema }]);
}

/** Channels, operations and schemas with their messages in place, wherever these were written. */
function partsOf(document: unknown): unknown {
  const root: Readonly<Record<string, unknown>> = Object(document);
  const follow = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(follow);
    if (!isObject(value)) return value;
    const { $ref } = value;
    if (typeof $ref === "string" && !$ref.startsWith("#/components/schemas/") && !$ref.startsWith("#/channels/"))
      return follow(
        $ref
          .slice(2)
          .split("/")
          .reduce<unknown>((holder, step) => Object(holder)[step], root),
      );
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, follow(member)]));
  };
  const { channels, operations, components, info, defaultContentType } = root;
  const { schemas, messages } = Object(components);
  return follow({
    channels,
    operations,
    schemas: schemas ?? {},
    messages: isObject(messages) ? Object.values(messages).length : 0,
    info,
    defaultContentType,
  });
}

describe("an AsyncAPI document", () => {
  it.each<[name: string, document: unknown, messages: number]>([
    ["streetlights.yaml", streetlights, 3],
    ["costing.json", requestReply, 3],
    ["accounts.json", multiFormat, 7],
  ])(
    "%s is exported with equal schemas, channels, messages and operations except the parts it names",
    async (name, document, messages) => {
      const source = typeof document === "string" ? parseYaml(document, name) : document;

      const { code, schemas, lost, errors } = await imported(name, document);
      const [json, yaml] = [await exported(schemas), await exported(schemas, "-f", "yaml")];

      expect([code, errors]).toEqual([0, ""]);
      const rest = partsOf(without(source, lost));
      expect(partsOf(json)).toEqual({ ...Object(rest), messages });
      expect(yaml).toEqual(json);
      const again = await imported("again.json", json);
      expect(again.lost).toEqual([]);
      expect(await exported(again.schemas)).toEqual(json);
    },
  );

  it("names every part that was not carried", async () => {
    expect((await imported("a.yaml", streetlights)).lost).toEqual(lostOfStreetlights);
    expect((await imported("a.json", requestReply)).lost).toEqual([]);
    expect((await imported("a.json", multiFormat)).lost).toEqual(["/channels/userSignedUp/messages/avro/payload"]);
  });

  it("becomes subjects that the check reads, and that depend on nothing else", async () => {
    const { schemas } = await imported("a.json", requestReply);

    const { code, terminal } = await check(schemas, "--strict");

    expect([code, terminal.text()]).toEqual([0, expect.stringContaining("0 breaking")]);
    const schema: unknown = JSON.parse(readFileSync(join(schemas, "costingRequest/1.0.schema.json"), "utf8"));
    expect(schema).toMatchObject({
      $schema: "http://json-schema.org/draft-07/schema#",
      properties: { id: { $ref: "#/definitions/id" } },
      definitions: {
        id: { format: "uuid" },
        line: { properties: { parts: { items: { $ref: "#/definitions/line" } } } },
      },
    });
  });

  it("becomes entities that the broker takes: queues, and topics where a binding says so", async () => {
    const { config } = await imported("a.yaml", streetlights, "--service", "lamps");

    const { queues, topics } = emulatorConfig(readFileSync(config, "utf8")).entities;

    expect(Object.keys(queues)).toEqual(["lamps.1.0.action.lampId.turn.on", "lamps.1.0.action.lampId.dim"]);
    expect(Object.keys(topics)).toEqual(["lamps.1.0.event.lampId.lighting.measured"]);
    expect(Object.keys(topics["lamps.1.0.event.lampId.lighting.measured"]?.subscriptions ?? {})).toEqual(["lamps"]);
  });

  it("adds its entities to those that are configured", async () => {
    const folder = folderOf({
      "a.json": requestReply,
      "Config.json": {
        UserConfig: {
          Namespaces: [
            {
              Name: "own",
              Queues: [{ Name: "orders" }, { Name: "costing/request", Properties: { MaxDeliveryCount: 7 } }],
            },
          ],
        },
      },
    });

    await sobre(
      "contract",
      "import",
      "asyncapi",
      join(folder, "a.json"),
      "-s",
      join(folder, "s"),
      "-c",
      join(folder, "Config.json"),
    );

    const { queues } = emulatorConfig(readFileSync(join(folder, "Config.json"), "utf8")).entities;
    expect(Object.keys(queues)).toEqual(["orders", "costing/request", "costing/response"]);
    expect(queues["costing/request"]?.maxDeliveryCount).toBe(7);
  });

  it("says what its service produces and consumes, replies included", async () => {
    const { schemas } = await imported("a.json", requestReply);
    const inFlight = (subject: string): unknown =>
      JSON.parse(readFileSync(join(schemas, subject, "subject.json"), "utf8")).inFlight;

    expect(inFlight("costingRequest")).toEqual([{ service: "costing", produces: ["1.0"], consumes: [] }]);
    expect(inFlight("costingResponse")).toEqual([{ service: "costing", produces: ["1.0"], consumes: ["1.0"] }]);
    expect(inFlight("cancel")).toEqual([{ service: "costing", produces: [], consumes: ["1.0"] }]);
  });

  it("adds a version where a schema has changed, whose export has the change", async () => {
    const { folder, schemas, config } = await imported("a.json", requestReply);
    const changed = JSON.parse(JSON.stringify(requestReply).replace('"minItems":1', '"minItems":2'));
    const source = folderOf({ "b.json": changed });

    const { terminal } = await sobre(
      "contract",
      "import",
      "asyncapi",
      join(source, "b.json"),
      "-s",
      schemas,
      "-c",
      config,
    );

    expect(terminal.text()).toContain(`wrote ${join(folder, "schemas/costingRequest/1.1.schema.json")}`);
    expect(terminal.text()).toContain("cancel: as it was");
    expect(partsOf(await exported(schemas))).toEqual(partsOf(changed));
    expect((await check(schemas)).code).toBe(0);
  });

  it("has no part that is neither exported nor named as not carried", () => {
    const source = parseYaml(streetlights, "streetlights");
    const places = placesIn(source).filter(
      (place) => place !== "/operations" && !/\/(payload|headers|schemas)\//.test(place),
    );
    expect(places.length).toBeGreaterThan(40);
    for (const place of places) {
      const more: unknown = structuredClone(source);
      Object.assign(Object(at(more, place)), { "x-odd": {} });
      const { lost, subjects, record } = importAsyncApi(more);
      const made = exportAsyncApi(subjects.map(released), record);
      const { messages: _, ...rest } = Object(partsOf(without(more, lost)));

      expect(partsOf(made), place).toMatchObject(rest);
    }
  });

  it("is made of subjects that were never imported, too", async () => {
    const folder = folderOf({
      "order/1.0.schema.json": {
        type: "object",
        properties: { next: { $ref: "#" }, total: { $ref: "#/$defs/money" } },
        $defs: { money: { type: "integer" } },
      },
      "order/subject.json": { codecs: ["json"], inFlight: [{ service: "web", produces: ["1.0"] }] },
    });

    expect(await exported(folder, "--service", "web")).toEqual({
      asyncapi: "3.0.0",
      info: { title: "web", version: "1.0.0" },
      channels: { order: { address: "order", messages: { order: { $ref: "#/components/messages/order" } } } },
      operations: { "send.order": { action: "send", channel: { $ref: "#/channels/order" } } },
      components: {
        messages: {
          order: {
            contentType: "application/json",
            payload: {
              type: "object",
              properties: {
                next: { $ref: "#/components/messages/order/payload" },
                total: { $ref: "#/components/schemas/money" },
              },
            },
          },
        },
        schemas: { money: { type: "integer" } },
      },
    });
  });

  it("has subjects that were added after the import, with names that components may have", async () => {
    const { schemas } = await imported("a.json", requestReply);
    const more = { "1.0.schema.json": { properties: { total: { $ref: "../shared/money.json" } } } };
    mkdirSync(join(schemas, "extra"));
    mkdirSync(join(schemas, "shared"));
    writeFileSync(join(schemas, "extra/1.0.schema.json"), JSON.stringify(more["1.0.schema.json"]));
    writeFileSync(join(schemas, "shared/money.json"), JSON.stringify({ type: "integer" }));

    const { components } = Object(await exported(schemas));

    expect(components.messages.extra.payload).toEqual({
      properties: { total: { $ref: "#/components/schemas/shared_money.json" } },
    });
    expect(components.schemas["shared_money.json"]).toEqual({ type: "integer" });
  });

  it.each<[what: string, document: unknown, message: string]>([
    [
      "of version 2",
      { asyncapi: "2.6.0", info: {}, channels: {} },
      'AsyncAPI "2.6.0" is not supported; 3.0 is. Convert the document first',
    ],
    ["that is none", { openapi: "3.1.0" }, "It is not an AsyncAPI document"],
    [
      "that refers to another file",
      { asyncapi: "3.0.0", info: {}, channels: { a: { $ref: "./b.yaml" } } },
      '/channels/a refers to "./b.yaml", which is not in the document',
    ],
    [
      "that refers to the network",
      {
        asyncapi: "3.0.0",
        info: {},
        channels: { a: { messages: { m: { payload: { $ref: "https://example.org/a" } } } } },
      },
      "which is not in the document",
    ],
    [
      "that refers to nothing",
      { asyncapi: "3.0.0", info: {}, channels: { a: { $ref: "#/components/channels/b" } } },
      "which is not there",
    ],
    [
      "that refers to itself",
      { asyncapi: "3.0.0", info: {}, channels: { a: { $ref: "#/channels/a" } } },
      "refers to itself",
    ],
    ["without info", { asyncapi: "3.0.0" }, "/info is missing"],
    [
      "with an action of its own",
      {
        asyncapi: "3.0.0",
        info: {},
        channels: { a: {} },
        operations: { o: { action: "publish", channel: { $ref: "#/channels/a" } } },
      },
      "must be send or receive",
    ],
    [
      "with Protobuf that cannot be read",
      {
        asyncapi: "3.0.0",
        info: {},
        channels: {
          a: {
            messages: {
              m: { payload: { schemaFormat: "application/vnd.google.protobuf;version=3", schema: "message {" } },
            },
          },
        },
      },
      "/channels/a/messages/m/payload/schema: The Protobuf schema cannot be read",
    ],
    [
      "that nests without end",
      { asyncapi: "3.0.0", info: JSON.parse(`${'{"a":'.repeat(2000)}1${"}".repeat(2000)}`) },
      "nests deeper than",
    ],
    [
      "with an inherited name",
      { asyncapi: "3.0.0", info: {}, channels: { a: { $ref: "#/constructor" } } },
      "which is not there",
    ],
  ])("%s is refused", async (_, document, message) => {
    const { code, errors, schemas } = await imported("a.json", document);

    expect(code).toBe(4);
    expect(errors).toContain(message);
    expect(existsSync(schemas)).toBe(false);
  });

  it("keeps messages of hostile names in their folder", () => {
    const payload = { type: "null" };
    const messages = Object.fromEntries(
      ["../../evil", "__proto__", "a/b", "a:b", ""].map((name) => [name, { payload }]),
    );

    const { subjects, record } = importAsyncApi({ asyncapi: "3.0.0", info: {}, channels: { c: { messages } } });

    expect(subjects.map(({ name }) => name)).toEqual(["__.._evil", "__proto__", "a_b", "c.a_b", "message"]);
    expect(Object.keys(record.messages)).toEqual(subjects.map(({ name }) => name));
  });
});
