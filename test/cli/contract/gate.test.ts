import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sobre } from "../calls.support.ts";
import { check, codesIn, contractFolders, newer, older, put } from "./folders.support.ts";

const { file, folderOf } = contractFolders();
let modules = 0;

/** A module with the message type of a subject. */
function typesModule(name: string, versions: Readonly<Record<number, unknown>>, upcast = "undefined"): string {
  const index = JSON.stringify(import.meta.resolve("../../../src/index.ts"));
  const door = JSON.stringify(import.meta.resolve("../../../src/core/json-schema/index.ts"));
  const schemas = Object.entries(versions).map(([version, one]) => `${version}: jsonSchema(${JSON.stringify(one)})`);
  const options = upcast === "undefined" ? "" : `, { upcast: { 1: ${upcast} } }`;
  return file(
    `code-${modules++}.mjs`,
    `import { defineMessage } from ${index};
     import { jsonSchema } from ${door};
     export const type = defineMessage(${JSON.stringify(name)}, { ${schemas.join()} }${options});`,
  );
}

const proto = (name: string): string =>
  `syntax = "proto3"; package ${name}; message Order { int32 n = 1; Line l = 2; } message Line { string s = 1; }`;

describe("sobre contract check --types", () => {
  const schemas = { "order/1.0.schema.json": older, "order/1.1.schema.json": { ...older, description: "An order." } };

  it("passes when the code says what the newest file says, in other words", async () => {
    const module = typesModule("order", { 1: { ...older, title: "Order" } });

    expect((await check(folderOf(schemas), "--strict", "--types", module)).code).toBe(0);
  });

  it("fails when the code was edited without a new version, with a message that shows the difference", async () => {
    const module = typesModule("order", { 1: newer });

    const { code, terminal } = await check(folderOf(schemas), "--types", module);

    expect(code).toBe(1);
    expect(terminal.text()).toContain("code-differs");
    expect(terminal.text()).toContain('the file accepts {"id":""}, and the code does not');
    expect(terminal.text()).toContain(
      "It does not read every message of 1.1: the next version is 2.0, with an upcaster.",
    );
  });

  it("suggests a minor version for code that reads every message of the newest one", async () => {
    const module = typesModule("order", { 1: { ...older, properties: { id: {}, note: {} } } });
    const { terminal } = await check(folderOf(schemas), "--types", module);

    expect(terminal.text()).toContain("It reads every message of 1.1: the next version is 1.2.");
  });

  it("fails for a message type that no schema file describes", async () => {
    const { code, terminal } = await check(folderOf(schemas), "--types", typesModule("invoice", { 1: older }));

    expect(code).toBe(1);
    expect(terminal.text()).toContain("The code has invoice, and no schema file describes it");
  });

  it.each([
    ["while its messages may be in flight", {}, ["code-lacks-version"]],
    ["unless the policy ignores that", { policy: { ignore: ["code-lacks-version"] } }, []],
    ["unless no service sends or reads it", { inFlight: [{ service: "web", produces: ["2.0"], consumes: [] }] }, []],
  ])("warns of a major that the code no longer has, %s", async (_, subject, expected) => {
    const versions = { "order/1.0.schema.json": older, "order/2.0.schema.json": newer, "order/subject.json": subject };
    const module = typesModule("order", { 2: newer });

    const { code, terminal } = await check(folderOf(versions), "--strict", "--types", module, "-f", "json");

    expect([code, codesIn(terminal)]).toEqual([0, expected]);
  });

  it("compares schemas of other sources by --from", async () => {
    const { code } = await check(folderOf(schemas), "--from", file("order.json", JSON.stringify(newer)));

    expect(code).toBe(1);
  });

  it("reads golden messages through the message type, upcasters included", async () => {
    const [first, second] = [
      { type: "object", properties: { total: { type: ["number", "null"] } }, required: ["total"] },
      { type: "object", properties: { cents: { type: "integer" } }, required: ["cents"] },
    ];
    const folder = folderOf({
      "schemas/order/1.0.schema.json": first,
      "schemas/order/2.0.schema.json": second,
      "schemas/order/subject.json": { policy: { contentModel: "upcast" } },
    });
    const [own, golden] = [join(folder, "schemas"), join(folder, "golden")];
    const module = typesModule("order", { 1: first, 2: second }, "({ total }) => ({ cents: total.toFixed(0) })");
    await sobre("contract", "record", "-s", own, "-g", golden);

    const { terminal } = await check(own, "-g", golden, "--types", module, "-f", "json");

    expect(codesIn(terminal)).toContain("golden-unread");
    for (const command of ["verify", "matrix"]) {
      const read = await sobre("contract", command, "-s", own, "-g", golden, "--types", module);

      expect(read.code).toBe(1);
      expect(read.terminal.text()).toContain("does not read the golden message 1.0/json/least: UpcastFailed");
    }
  });

  it.each(["verify", "matrix"])(
    "fails in %s, too, when the code no longer reads what was recorded",
    async (command) => {
      const folder = folderOf({ "schemas/order/1.0.schema.json": older });
      const places = ["-s", join(folder, "schemas"), "-g", join(folder, "golden")];
      await sobre("contract", "record", ...places);

      const codes: number[] = [];
      for (const now of [older, newer]) {
        const module = typesModule("order", { 1: now });
        codes.push((await sobre("contract", command, ...places, "--types", module)).code);
      }

      expect(codes).toEqual([0, 1]);
    },
  );
});

async function verifiedText(module: string, files: Readonly<Record<string, unknown>>): Promise<string> {
  const folder = folderOf(files);
  const [own, golden] = [join(folder, "schemas"), join(folder, "golden")];
  await sobre("contract", "record", "-s", own, "-g", golden);
  const { terminal } = await sobre("contract", "verify", "-s", own, "-g", golden, "--types", module);
  return terminal.text();
}

describe("golden messages that the code reads", () => {
  const text = { type: "object", properties: { id: { type: "string" }, note: { type: "string" } }, required: ["id"] };

  it.each([
    ["as another value", "z.string().transform((id) => `${id}!`)", "/id is read as another value"],
    ["without a member", "z.string()", "/note is gone"],
    ["as they were meant, with defaults", 'z.string(), note: z.string().default("")', "0 are read differently"],
  ])("are compared with what was recorded: %s", async (_, members, message) => {
    const index = JSON.stringify(import.meta.resolve("../../../src/index.ts"));
    const module = file(
      `zod-${modules++}.mjs`,
      `import { defineMessage } from ${index};
       import { z } from ${JSON.stringify(import.meta.resolve("zod"))};
       export const type = defineMessage("order", { 1: z.object({ id: ${members} }) });`,
    );

    expect(await verifiedText(module, { "schemas/order/1.0.schema.json": text })).toContain(message);
  });

  it("must become valid by the newest file where an upcaster converts them", async () => {
    const second = { type: "object", properties: { id: { type: "string", maxLength: 0 } }, required: ["id"] };
    const module = typesModule(
      "order",
      { 1: text, 2: { ...second, properties: { id: {} } } },
      "({ id }) => ({ id: 7 })",
    );

    const shown = await verifiedText(module, {
      "schemas/order/1.0.schema.json": text,
      "schemas/order/2.0.schema.json": second,
    });

    expect(shown).toContain(
      "1.0/json/least: the upcaster makes what order/2.0.schema.json refuses: /id must be string",
    );
  });
});

describe("majors", () => {
  const second = { type: "object", properties: { key: { type: "integer" } }, required: ["key"] };
  const versions = { "order/1.0.schema.json": older, "order/1.1.schema.json": older, "order/2.0.schema.json": second };

  it("are lanes: a new one ships without being compared with the one before", async () => {
    const { code, terminal } = await check(folderOf(versions), "--strict");

    expect(code).toBe(0);
    expect(terminal.text()).toContain("checked 1 pair");
  });

  it("are each read by a version of their own where a service lists one", async () => {
    const inFlight = [
      { service: "web", produces: ["1.1", "2.0"] },
      { service: "billing", consumes: ["1.0", "2.0"] },
    ];

    expect((await check(folderOf({ ...versions, "order/subject.json": { inFlight } }), "--strict")).code).toBe(0);
  });

  it("break a service that has no version of a major that is produced", async () => {
    const inFlight = [
      { service: "web", produces: ["1.1", "2.0"] },
      { service: "billing", consumes: ["2.0"] },
    ];

    const { code, terminal } = await check(folderOf({ ...versions, "order/subject.json": { inFlight } }));

    expect(code).toBe(1);
    expect(terminal.text()).toContain("breaking  order 1.1 → 2.0");
  });

  it("are tested where an upcaster passes its search, which a policy may refuse", async () => {
    const module = typesModule("order", { 1: older, 2: second }, "({ id }) => ({ key: id.length })");
    const [allowing, refusing] = [{}, { tested: "refuse" }].map((policy) =>
      folderOf({ ...versions, "order/subject.json": { policy: { contentModel: "upcast", ...policy } } }),
    );

    const allowed = await check(allowing ?? "", "--strict", "--types", module);
    const refused = await check(refusing ?? "", "--strict", "--types", module);

    expect([allowed.code, refused.code]).toEqual([0, 3]);
    expect(allowed.terminal.text()).toContain("tested    order 1.1 → 2.0");
    expect(allowed.terminal.text()).toContain("1 safe, 2 tested, 0 breaking, 0 unproven");
  });

  it("meet in the matrix just where the check compares them", async () => {
    const folder = folderOf(versions);
    const golden = join(folder, "golden");
    await sobre("contract", "record", "-s", folder, "-g", golden);

    const { code, terminal } = await sobre("contract", "matrix", "-s", folder, "-g", golden);

    expect(code).toBe(0);
    expect(terminal.text()).toMatch(/1\.1 +\(read\) +read +\(refused\)/);
  });
});

describe("a renamed Protobuf message", () => {
  const versions = { "order/1.0.proto": proto("a"), "order/1.1.proto": proto("b") };

  it("breaks where its name travels, as the matrix shows", async () => {
    const { code, terminal } = await check(folderOf(versions), "-f", "json");

    expect(code).toBe(1);
    expect(codesIn(terminal)).toEqual(["type-renamed"]);
  });

  it("is compared by its fields where reader and writer agree on the type", async () => {
    const settings = { policy: { typeName: "agreed" } };

    expect((await check(folderOf({ ...versions, "order/subject.json": settings }), "--strict")).code).toBe(0);
  });
});

describe("an unproven pair", () => {
  const versions = {
    "order/1.0.schema.json": { type: "string" },
    "order/1.1.schema.json": { type: "string", format: "date" },
  };

  it("is acknowledged by the hash of both schemas, until one of them changes", async () => {
    const { pairs } = JSON.parse((await check(folderOf(versions), "-f", "json")).terminal.text());
    const waiver = {
      subject: "order",
      code: "unproven",
      schemas: pairs[0].schemas,
      reason: "read",
      expires: "2999-01-01",
    };
    const withWaiver = { ...versions, "waivers.json": [waiver] };

    const taken = await check(folderOf(withWaiver), "--strict");
    const stale = await check(folderOf({ ...withWaiver, "order/1.1.schema.json": { type: "string", format: "time" } }));

    expect([taken.code, stale.code]).toEqual([0, 1]);
  });
});

describe("sobre contract release", () => {
  it("locks versions, which init does not, so that a mistyped subject can be taken back", async () => {
    const schemas = folderOf({ "none.txt": "" });
    const init = (subject: string) =>
      sobre("contract", "init", "-s", schemas, "--from", file("o.json", JSON.stringify(older)), "--subject", subject);
    await init("oder");
    rmSync(join(schemas, "oder"), { recursive: true });
    await init("order");

    const before = await check(schemas, "--strict");
    const released = await sobre("contract", "release", "-s", schemas);
    put(schemas, "order/1.0.schema.json", { ...older, title: "Order" });
    const edited = await check(schemas);

    expect([before.code, released.code, edited.code]).toEqual([0, 0, 1]);
    expect(released.terminal.text()).toContain("released 1 versions");
    expect(edited.terminal.text()).toContain("was released and has been edited");
  });

  it("refuses a subject that does not exist, and to hide an edit", async () => {
    const schemas = folderOf({
      "order/1.0.schema.json": older,
      "lock.json": { schemas: { "order/1.0.schema.json": "00" } },
    });

    const [unknown, edited] = [
      await sobre("contract", "release", "-s", schemas, "invoice"),
      await sobre("contract", "release", "-s", schemas),
    ];

    expect([unknown.code, edited.code]).toEqual([2, 1]);
  });
});
