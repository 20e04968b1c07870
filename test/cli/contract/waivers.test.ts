import { describe, expect, it } from "vitest";
import { broken, check, contractFolders, hashIn, older } from "./folders.support.ts";

const { folderOf } = contractFolders();

describe("waivers", () => {
  it("takes a waiver by the hash of its witness, until it expires or the witness no longer comes up", async () => {
    const report = await check(folderOf(broken), "-f", "json");
    const witness = hashIn(report.terminal.text());
    const waiver = (expires: string) => [
      { subject: "order", code: "member-required", witness, reason: "billing moves first", expires },
    ];

    const taken = await check(folderOf({ ...broken, "waivers.json": waiver("2999-01-01") }), "--strict");
    const expired = await check(folderOf({ ...broken, "waivers.json": waiver("2020-01-01") }));
    const stale = await check(
      folderOf({ ...broken, "order/1.1.schema.json": older, "waivers.json": waiver("2999-01-01") }),
    );
    const without = await check(folderOf({ ...broken, "waivers.json": [{ ...waiver("2999-01-01")[0], reason: "" }] }));

    expect([taken.code, expired.code, stale.code, without.code]).toEqual([0, 1, 1, 4]);
    expect(taken.terminal.text()).toMatch(/^waived .*\n[^]*0 safe, 1 waived, 0 breaking, 0 unproven/);
    expect(expired.terminal.text()).toContain("expired on 2020-01-01");
    expect(stale.terminal.text()).toContain("is stale");
    expect(without.terminal.errors()).toContain("lacks reason");
  });

  it("lets a waiver cover its finding and no other break of the pair", async () => {
    const one = { ...older, required: ["id", "note"] };
    const two = { ...one, properties: { id: { type: "string", maxLength: 5 }, note: { type: "string" } } };
    const reported = await check(folderOf({ ...broken, "order/1.1.schema.json": one }), "-f", "json");
    const hash = hashIn(reported.terminal.text());
    const waiver = {
      subject: "order",
      code: "member-required",
      hash,
      reason: "billing moves first",
      expires: "2999-01-01",
    };

    const { code, terminal } = await check(
      folderOf({ ...broken, "order/1.1.schema.json": two, "waivers.json": [waiver] }),
      "--strict",
    );

    expect(code).toBe(1);
    expect(terminal.text()).toContain("range-narrowed");
    expect(terminal.text()).not.toContain("member-required");
    expect(terminal.text()).not.toContain("stale");
  });

  it("calls a waiver stale only in the check that it is for", async () => {
    const report = await check(folderOf(broken), "-f", "json");
    const waiver = { subject: "order", code: "member-required", witness: hashIn(report.terminal.text()) };
    const dated = { ...waiver, reason: "billing moves first", expires: "2999-01-01" };
    const [released, mended] = [folderOf({ "order/1.0.schema.json": older }), { "order/1.1.schema.json": older }];
    const codeOf = async (against: string | undefined, ...args: readonly string[]): Promise<number> =>
      (
        await check(
          folderOf({ ...mended, "order/1.0.schema.json": older, "waivers.json": [{ ...dated, against }] }),
          ...args,
        )
      ).code;

    const [own, other] = [await codeOf(undefined), await codeOf(released)];
    const [ownThere, otherThere] = [
      await codeOf(undefined, "--against", released),
      await codeOf(released, "--against", released),
    ];

    expect([own, other, ownThere, otherThere]).toEqual([1, 0, 0, 1]);
  });

  it.each([
    ["waivers.json", { reason: "no list" }, "a JSON array"],
    ["waivers.json", "[", "a JSON array"],
    ["waivers.json", [{ subject: "a", codes: "b" }], "unknown member `codes`"],
    [
      "waivers.json",
      [{ subject: "a", code: "b", witness: "c", reason: "d", expires: "2026-02-30" }],
      "a date in `expires`",
    ],
    ["lock.json", "<<<<<<<", "lock.json must be"],
    ["lock.json", {}, "lock.json must be"],
  ])("refuses a broken %s: %j", async (name, content, why) => {
    const { code, terminal } = await check(folderOf({ ...broken, [name]: content }));

    expect(code).toBe(4);
    expect(terminal.errors()).toContain(why);
  });
});
