import { describe, expect, it } from "vitest";
import { linesOf, scratchFolder, sobre } from "../calls.support.ts";

const { file } = scratchFolder();

function objects(count: number): string {
  const all = Array.from({ length: count }, (_, index) => `{"Qty":${index % 50},"Sku":"sku-${index}"}`);
  return file(`${count}.json`, `[${all.join(",")}]`);
}

function nested(depth: number): string {
  return file(`depth-${depth}.json`, `${"[".repeat(depth)}1${"]".repeat(depth)}`);
}

describe("the limits of one body", () => {
  it("refuse 200,000 objects, naming the option that raises them", async () => {
    const path = objects(200_000);

    const decoded = await sobre("decode", "--json", path);
    const migrated = await sobre("migrate", "--input", "payloads", "--json", path);

    expect(decoded.code).toBe(1);
    expect(linesOf(decoded.terminal)).toMatchObject([
      { ok: false, error: { message: expect.stringContaining("--max-items, which is 250000: raise it") } },
    ]);
    expect(migrated.code).toBe(6);
    expect(migrated.terminal.text()).toContain("--max-items, which is 75000: raise it");
    expect(migrated.terminal.text()).not.toContain("limits.maxItems");
  });

  it("are raised by --max-items, for decode and migrate", async () => {
    const path = objects(30_000);

    const refused = await sobre("decode", "--json", "--max-items", "1000", path);
    const decoded = await sobre("decode", "--json", "--max-items", "100000", path);
    const migrated = await sobre("migrate", "--input", "payloads", "--json", "--max-items", "100000", path);

    expect([refused.code, decoded.code, migrated.code]).toEqual([1, 0, 0]);
    expect(refused.terminal.text()).toContain("--max-items, which is 1000: raise it");
    expect(linesOf(decoded.terminal)).toMatchObject([{ ok: true, codec: "json", value: { length: 30_000 } }]);
    expect(JSON.parse(migrated.terminal.text())).toMatchObject({ messages: 1, outcomes: { kept: 1, failed: 0 } });
  });

  it("are raised by --max-depth", async () => {
    const path = nested(200);

    const refused = await sobre("decode", "--json", path);
    const decoded = await sobre("decode", "--json", "--max-depth", "300", path);
    const migrated = await sobre("migrate", "--input", "payloads", "--json", "--max-depth", "300", path);

    expect(refused.terminal.text()).toContain("--max-depth, which is 128: raise it");
    expect([refused.code, decoded.code, migrated.code]).toEqual([1, 0, 0]);
    expect(JSON.stringify(linesOf(decoded.terminal))).toContain(`"value":${"[".repeat(200)}1`);
    expect(JSON.parse(migrated.terminal.text())).toMatchObject({ messages: 1, outcomes: { kept: 1, failed: 0 } });
  });

  it.each([
    ["--max-items", "0"],
    ["--max-depth", "x"],
  ])("are whole numbers of at least 1: %s %s", async (option, value) => {
    const { code, terminal } = await sobre("decode", option, value, objects(1));

    expect(code).toBe(2);
    expect(terminal.errors()).toBe(`sobre: ${option} must be a number of at least 1\n`);
    expect(terminal.text()).toBe("");
  });
});
