import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sobre } from "../cli/calls.support.ts";
import { check, codesIn, contractFolders, newer, older, put } from "../cli/contract/folders.support.ts";

const { folderOf } = contractFolders();

/** A git repository with schemas and golden messages. */
async function repository(files: Readonly<Record<string, unknown>>): Promise<string> {
  const folder = folderOf(Object.fromEntries(Object.entries(files).map(([name, text]) => [`schemas/${name}`, text])));
  await sobre("contract", "record", "-s", join(folder, "schemas"), "-g", join(folder, "golden"));
  const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: folder, stdio: "ignore" });
  git("init", "-q");
  git("add", ".");
  git("-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "-m", "first");
  return folder;
}

function againstHead(folder: string): ReturnType<typeof check> {
  return check(join(folder, "schemas"), "-g", join(folder, "golden"), "--against", "git:HEAD", "-f", "json");
}

describe("what --against finds gone", () => {
  const files = {
    "order/1.0.schema.json": older,
    "order/subject.json": { codecs: ["json"], policy: { direction: "full", contentModel: "as-written" } },
    "invoice/1.0.schema.json": older,
  };

  it("is nothing where nothing changed", async () => {
    const { code, terminal } = await againstHead(await repository(files));

    expect([code, codesIn(terminal)]).toEqual([0, []]);
  });

  it.each([
    ["a subject", "schemas/invoice", "subject-deleted"],
    ["a version", "schemas/order/1.0.schema.json", "version-deleted"],
    ["golden messages", "golden/order", "golden-deleted"],
  ])("is %s that was deleted", async (_, path, wanted) => {
    const folder = await repository(files);
    rmSync(join(folder, path), { recursive: true });

    const { code, terminal } = await againstHead(folder);

    expect(code).toBe(1);
    expect(codesIn(terminal)).toContain(wanted);
  });

  it("is a policy that was loosened, and not one that became stricter", async () => {
    const folder = await repository(files);
    const codesWith = async (policy: object): Promise<readonly string[]> => {
      put(folder, "schemas/order/subject.json", { codecs: ["json"], policy });
      return codesIn((await againstHead(folder)).terminal);
    };

    expect(await codesWith({ direction: "backward", contentModel: "as-written" })).toEqual(["policy-loosened"]);
    expect(await codesWith({ direction: "full", contentModel: "declared-writer" })).toEqual(["policy-loosened"]);
    expect(await codesWith({ direction: "full", contentModel: "as-written", ignore: ["member-required"] })).toEqual([
      "policy-loosened",
    ]);
    expect(await codesWith({ direction: "full", contentModel: "as-written", tested: "refuse" })).toEqual([]);
  });

  it("is a released version that was edited, even where the meaning is the same", async () => {
    const folder = await repository(files);
    put(folder, "schemas/order/1.0.schema.json", { ...older, title: "Order" });

    expect(codesIn((await againstHead(folder)).terminal)).toEqual(["version-edited"]);
  });

  it("is a waiver that was removed although its finding still comes up, or extended", async () => {
    const broken = { ...files, "order/1.1.schema.json": newer };
    const report = await check(folderOf(broken), "-f", "json");
    const { pairs } = JSON.parse(report.terminal.text());
    const [{ code, hash }] = pairs[0].findings;
    const waiver = { subject: "order", code, hash, reason: "billing moves first", expires: "2999-01-01" };
    const folder = await repository({ ...broken, "waivers.json": [waiver] });

    put(folder, "schemas/waivers.json", [{ ...waiver, expires: "2999-02-01" }]);
    const extended = codesIn((await againstHead(folder)).terminal);
    put(folder, "schemas/waivers.json", []);
    const removed = codesIn((await againstHead(folder)).terminal);

    expect(extended).toContain("waiver-extended");
    expect(removed).toContain("waiver-deleted");
  });

  it("can be waived by its hash", async () => {
    const folder = await repository(files);
    rmSync(join(folder, "schemas/invoice"), { recursive: true });
    const [{ hash }] = JSON.parse((await againstHead(folder)).terminal.text()).changes;
    const expires = "2999-01-01";
    const [deleted, golden] = ["subject-deleted", "golden-deleted"];
    put(folder, "schemas/waivers.json", [
      {
        subject: "invoice",
        code: deleted,
        hash,
        reason: "no invoices are sent any more",
        expires,
        against: "git:HEAD",
      },
    ]);

    const { code, terminal } = await againstHead(folder);

    expect([code, codesIn(terminal).includes(golden)]).toEqual([0, false]);
  });

  it("is nothing on the first day, when no schema has been merged yet", async () => {
    const folder = await repository({ "none.txt": "" });
    put(folder, "schemas/order/1.0.schema.json", older);

    const { code, terminal } = await check(join(folder, "schemas"), "--strict", "--against", "git:HEAD");

    expect(code).toBe(0);
    expect(terminal.errors()).toContain("git:HEAD has no version of these subjects");
  });
});
