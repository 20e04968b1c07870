import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { check, contractFolders, newer, older } from "../cli/contract/folders.support.ts";

const { scratch, file, folderOf } = contractFolders();

function npm(cwd: string, ...args: readonly string[]): string {
  return execFileSync("npm", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
}

/** A repository whose order 1.1 meets what an installed package has as 1.0 and 1.2. */
function repository(inFlight: object, there: Readonly<Record<string, unknown>> = {}): string {
  return folderOf({
    "package.json": { name: "here", private: true },
    "schemas/order/1.1.schema.json": older,
    "schemas/order/subject.json": { inFlight: [inFlight] },
    "node_modules/there/package.json": { name: "there", version: "1.0.0" },
    "node_modules/there/schemas/order/1.0.schema.json": older,
    "node_modules/there/schemas/order/1.2.schema.json": newer,
    ...Object.fromEntries(
      Object.entries(there).map(([name, content]) => [`node_modules/there/schemas/order/${name}`, content]),
    ),
  });
}

async function againstThere(folder: string): Promise<{ readonly code: number; readonly text: string }> {
  const before = process.cwd();
  process.chdir(folder);
  try {
    const { code, terminal } = await check("schemas", "--against", "there");
    return { code, text: terminal.text() };
  } finally {
    process.chdir(before);
  }
}

describe("what sobre contract check compares with", () => {
  it("compares with the schemas of an installed package, and with a git reference", async () => {
    const producer = folderOf({
      "package.json": { name: "producer-schemas", version: "1.0.0", files: ["schemas"] },
      "schemas/order/1.0.schema.json": older,
    });
    const consumer = folderOf({
      "package.json": { name: "consumer", version: "1.0.0", private: true },
      "schemas/order/1.1.schema.json": newer,
    });
    const packed = npm(producer, "pack", "--silent");
    npm(consumer, "install", "--silent", "--offline", "--no-audit", "--no-fund", join(producer, packed));
    const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: consumer, stdio: "ignore" });
    git("init", "-q");
    git("add", "schemas");
    git("-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "-m", "first");
    const before = process.cwd();

    process.chdir(consumer);
    const [against, same] = [
      await check("schemas", "--against", "producer-schemas"),
      await check("schemas", "--against", "git:HEAD"),
    ];
    file(
      `${consumer.slice(scratch.length + 1)}/schemas/order/1.1.schema.json`,
      JSON.stringify({ ...newer, required: ["id", "note", "more"] }),
    );
    const edited = await check("schemas", "--against", "git:HEAD");
    process.chdir(before);

    expect(against.code).toBe(1);
    expect(against.terminal.text()).toContain("breaking  order 1.0 ↔ 1.1");
    expect(same.code).toBe(0);
    expect(same.terminal.text()).toContain("safe      order 1.1 → 1.1");
    expect(edited.code).toBe(1);
  });
});

const inFlight = (one: object) => ({ "subject.json": { inFlight: [{ service: "billing", ...one }] } });
const same = (one: object) => ({ "1.1.schema.json": newer, ...inFlight(one) });

describe("versions of another repository", () => {
  it("are read by services here that consume, newer ones too", async () => {
    const folder = repository({ service: "billing", consumes: ["1.1"] });

    const { code, text } = await againstThere(folder);

    expect(code).toBe(0);
    expect(text).toContain("safe      order 1.0 → 1.1");
    expect(text).toContain("safe      order 1.1 ← 1.2");
  });

  it("read what services here produce, and a break is shown in the file that is here", async () => {
    const folder = repository({ service: "web", produces: ["1.1"] });

    const { code, text } = await againstThere(folder);

    expect(code).toBe(1);
    expect(text).toContain("safe      order 1.0 ← 1.1");
    expect(text).toContain("breaking  order 1.1 → 1.2");
    expect(text).toMatch(/schemas\/order\/1\.1\.schema\.json:\d+:\d+ member-required/);
  });

  it("meet no more than what services there have in flight", async () => {
    const folder = repository(
      { service: "web", produces: ["1.1"], consumes: ["1.1"] },
      inFlight({ consumes: ["1.0"] }),
    );

    const { code, text } = await againstThere(folder);

    expect(code).toBe(0);
    expect(text).toContain("safe      order 1.0 ← 1.1");
    expect(text).not.toMatch(/1\.2|order 1\.0 →/);
  });

  it("are read in the right direction where both repositories give them one number", async () => {
    const sent = await againstThere(repository({ service: "web", produces: ["1.1"] }, same({ consumes: ["1.1"] })));
    const read = await againstThere(repository({ service: "web", consumes: ["1.1"] }, same({ produces: ["1.1"] })));

    expect([sent.code, read.code]).toEqual([1, 0]);
    expect(sent.text).toContain('The reader requires the member "note"');
  });

  it("all meet all: what is produced here and consumed there, and the reverse", async () => {
    const folder = repository({ service: "web", produces: ["1.1"], consumes: ["1.1"] });

    const { text } = await againstThere(folder);

    expect(text).toContain("safe      order 1.0 ↔ 1.1");
    expect(text).toContain("breaking  order 1.1 ↔ 1.2");
  });
});
