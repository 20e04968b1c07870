import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { sobre } from "../cli/calls.support.ts";
import { contractFolders } from "../cli/contract-folders.support.ts";

const { folderOf } = contractFolders();
const producer = folderOf({ "package.json": { name: "shop", version: "1.0.0" } });
const consumer = folderOf({ "package.json": { name: "billing", private: true } });
const folders = ["-s", join(producer, "schemas"), "-g", join(producer, "golden")];
let modules = 0;

function put(folder: string, name: string, content: unknown): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), typeof content === "string" ? content : JSON.stringify(content, undefined, 2));
}

function git(...args: readonly string[]): void {
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.org", ...args], {
    cwd: producer,
    stdio: "ignore",
  });
}

function merge(message: string): void {
  if (!existsSync(join(producer, ".git"))) git("init", "-q");
  git("add", ".");
  git("commit", "-q", "-m", message);
}

/** The producer's code of today. */
function code(versions: Readonly<Record<number, object>>, upcast = ""): string {
  const name = `src/messages-${modules++}.mjs`;
  const index = JSON.stringify(import.meta.resolve("../../src/index.ts"));
  const door = JSON.stringify(import.meta.resolve("../../src/core/json-schema/index.ts"));
  const schemas = Object.entries(versions).map(([version, one]) => `${version}: jsonSchema(${JSON.stringify(one)})`);
  const text = `import { defineMessage } from ${index};
    import { jsonSchema } from ${door};
    export const order = defineMessage("order", { ${schemas.join()} }${upcast});`;
  put(producer, name, text);
  return join(producer, name);
}

const check = (...args: readonly string[]) => sobre("contract", "check", ...folders, "--strict", ...args);

const january = {
  type: "object",
  properties: { id: { type: "string" }, total: { type: "number" } },
  required: ["id", "total"],
};
const february = { ...january, properties: { ...january.properties, note: { type: "string" } } };
const march = { ...february, required: ["id", "total", "note"] };
const june = {
  type: "object",
  properties: { id: { type: "string" }, cents: { type: "integer" } },
  required: ["id", "cents"],
};
const upcast = ", { upcast: { 1: ({ id, total }) => ({ id, cents: Math.round(total * 100) }) } }";

describe("a year of the subject order", { shuffle: false, concurrent: false }, () => {
  it("January: the first version is taken from the code, and the check is green", async () => {
    const types = code({ 1: january });

    const init = await sobre("contract", "init", ...folders.slice(0, 2), "--from", types);
    const record = await sobre("contract", "record", ...folders);
    const { code: exit, terminal } = await check("--types", types);

    expect([init.code, record.code, exit]).toEqual([0, 0, 0]);
    expect(terminal.errors()).toContain("no two versions of a subject meet yet");
    merge("The first version");
  });

  it("February: an edit of the code without a version is caught, and becomes a minor version", async () => {
    const types = code({ 1: february });

    const before = await check("--types", types);
    await sobre("contract", "init", ...folders.slice(0, 2), "--from", types);
    await sobre("contract", "record", ...folders);
    const after = [await check("--types", types), await check("--against", "git:HEAD")];

    expect(before.code).toBe(1);
    expect(before.terminal.text()).toContain("code-differs");
    expect(after.map((one) => one.code)).toEqual([0, 0]);
    merge("A note");
  });

  it("March: a break is caught with a message that shows it, waived for a while, and the waiver ends with it", async () => {
    put(producer, "schemas/order/1.2.schema.json", march);

    const broken = await check("-f", "json");
    const [{ findings }] = JSON.parse(broken.terminal.text()).pairs;
    const [finding] = findings;
    const waiver = {
      subject: "order",
      code: finding.code,
      hash: finding.hash,
      reason: "billing sends notes by then",
      expires: "2999-06-30",
    };
    put(producer, "schemas/waivers.json", [waiver]);
    const waived = await check();
    rmSync(join(producer, "schemas/order/1.2.schema.json"));
    const stale = await check();
    rmSync(join(producer, "schemas/waivers.json"));

    expect([broken.code, waived.code, stale.code]).toEqual([1, 0, 1]);
    expect([finding.code, finding.witness.value]).toEqual(["member-required", { id: "", total: 0 }]);
    expect(stale.terminal.text()).toContain("is stale");
  });

  it("June: a new major ships with an upcaster, which is tested", async () => {
    const types = code({ 1: february, 2: june }, upcast);

    await sobre("contract", "init", ...folders.slice(0, 2), "--from", types);
    put(producer, "schemas/order/subject.json", { codecs: ["json"], policy: { contentModel: "upcast" } });
    await sobre("contract", "record", ...folders);
    const { code: exit, terminal } = await check("--types", types);

    expect(exit).toBe(0);
    expect(terminal.text()).toContain("tested    order 1.1 → 2.0");
    merge("Cents");
  });

  it("September: the consumer sees that it lacks the new major, in its own repository, until it reads it", async () => {
    cpSync(join(producer, "schemas"), join(consumer, "node_modules/shop/schemas"), { recursive: true });
    cpSync(join(producer, "package.json"), join(consumer, "node_modules/shop/package.json"));
    put(consumer, "node_modules/shop/schemas/order/subject.json", {
      inFlight: [{ service: "web", produces: ["1.1", "2.0"] }],
    });
    for (const version of ["1.1", "2.0"])
      put(
        consumer,
        `schemas/order/${version}.schema.json`,
        readFileSync(join(producer, `schemas/order/${version}.schema.json`), "utf8"),
      );
    const checkAs = async (consumes: readonly string[]) => {
      put(consumer, "schemas/order/subject.json", { inFlight: [{ service: "billing", consumes }] });
      return sobre("contract", "check", "-s", "schemas", "--against", "shop");
    };
    const before = process.cwd();
    process.chdir(consumer);

    const [lacking, reading] = [await checkAs(["1.1"]), await checkAs(["1.1", "2.0"])];
    process.chdir(before);

    expect([lacking.code, reading.code]).toEqual([1, 0]);
    expect(lacking.terminal.text()).toContain("breaking  order 1.1 ← 2.0");
  });

  it("October: a producer is blocked while a consumer of the old major is deployed, and accepted afterwards", async () => {
    const [schemas, file] = [join(consumer, "schemas"), join(consumer, "deployments.json")];
    const place = ["-s", schemas, "--file", file, "--env", "prod"];
    const settings = (consumes: readonly string[]) =>
      put(consumer, "schemas/order/subject.json", {
        inFlight: [
          { service: "web", produces: ["2.0"] },
          { service: "billing", consumes },
        ],
      });

    settings(["1.1"]);
    await sobre("contract", "deployed", "billing", "41", ...place);
    const blocked = await sobre("contract", "can-deploy", "web", ...place);
    settings(["1.1", "2.0"]);
    await sobre("contract", "deployed", "billing", "42", ...place);
    const allowed = await sobre("contract", "can-deploy", "web", ...place);

    expect([blocked.code, allowed.code]).toEqual([1, 0]);
    expect(blocked.terminal.errors()).toContain("web cannot be deployed to prod");
    expect(blocked.terminal.text()).toContain("witness");
  });

  it("December: a subject that is deleted is caught, with its golden messages", async () => {
    rmSync(join(producer, "schemas/order"), { recursive: true });
    rmSync(join(producer, "golden/order"), { recursive: true });
    put(producer, "schemas/invoice/1.0.schema.json", january);

    const { code: exit, terminal } = await check("--against", "git:HEAD");

    expect(exit).toBe(1);
    expect(terminal.text()).toContain("subject-deleted");
    expect(terminal.text()).toContain("golden-deleted");
  });
});
