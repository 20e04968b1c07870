import { describe, expect, it } from "vitest";
import type { InspectorOptions } from "../../../src/serve/inspector/index.ts";
import { deadLettered, ended, inspected, type Inspected, jobId, order } from "./inspected.support.ts";

const dead = "orders/$DeadLetterQueue";

type Selection = Readonly<Record<string, string>>;

const asQuery = (members: Selection): string => new URLSearchParams(members).toString();

/** Every route that takes a selection. */
const routes: readonly (readonly [
  string,
  (all: Inspected, selection: Selection) => Promise<{ readonly status: number }>,
])[] = [
  ["the list of messages", ({ get }, given) => get(`api/messages?${asQuery({ entity: dead, ...given })}`)],
  ["the groups", ({ get }, given) => get(`api/groups?${asQuery({ entity: dead, ...given })}`)],
  ["a dry run", ({ post }, selection) => post("api/redrives", { from: dead, selection })],
  ["a re-drive", ({ post }, selection) => post("api/redrives", { from: dead, selection, dryRun: false })],
  ["a deletion", ({ post }, selection) => post("api/purge", { entity: dead, name: dead, selection })],
];

const asked: readonly (readonly [Selection, readonly string[]])[] = [
  [{ path: '$.card ~ "08"' }, ["by $.card"]],
  [{ path: " $.lines[0] " }, ["by $.lines[0]"]],
  [{ text: "4111" }, ["for a text"]],
  [{ text: "4111", path: "$.id = 7", reason: "x" }, ["for a text", "by $.id"]],
  [{ reason: "x", source: "orders", type: "t", error: "", state: "active", related: "m" }, []],
  [{ text: "", path: " " }, []],
];

const cases = routes.flatMap(([where, ask]) => asked.map(([selection, lines]) => ({ where, ask, selection, lines })));

/** The searches that the audit notes. */
async function searches(
  ask: (typeof routes)[number][1],
  selection: Selection,
  bodies: InspectorOptions["bodies"],
): Promise<readonly string[]> {
  const all = inspected(undefined, { bodies });
  await deadLettered(all.engine, "orders", [order("ana")]);
  expect((await ask(all, selection)).status).toBe(200);
  const lines = all.audit.filter(({ action }) => action === "searched the bodies");
  expect(lines.every(({ caller, entity }) => caller === "tester" && entity === dead)).toBe(true);
  return lines.map(({ detail }) => detail);
}

describe("a search where bodies are shown on request", () => {
  it.each(cases)("is a line of the audit, by $where with $selection", async ({ ask, selection, lines }) => {
    expect(await searches(ask, selection, "onRequest")).toEqual(lines);
    expect(await searches(ask, selection, "shown")).toEqual([]);
  });

  it("is one by whoever goes on with a re-drive, too", async () => {
    const all = inspected(undefined, { bodies: "onRequest" });
    await deadLettered(all.engine, "orders", [order("ana"), order("bea")]);
    const init = { from: dead, to: "missing", selection: { path: '$.id = "ana"' }, dryRun: false };
    const { body } = await all.post("api/redrives", init);
    await ended(all, body);
    const before = all.audit.length;

    const again = await all.post(`api/redrives/${jobId(body)}/resume`, {});

    expect(again.status).toBe(200);
    expect(all.audit.slice(before).map(({ action, detail }) => [action, detail])).toContainEqual([
      "searched the bodies",
      "by $.id",
    ]);
  });

  it("needs the right to read, without which there is no line", async () => {
    const all = inspected(undefined, { bodies: "onRequest" });
    await deadLettered(all.engine, "orders", [order("ana")]);

    const refused = await Promise.all([
      all.get(`api/messages?entity=${dead}&text=ana`, { rights: ["Send"] }),
      all.get(`api/groups?entity=${dead}&text=ana`, { scope: "other" }),
      all.post("api/redrives", { from: dead, selection: { text: "ana" } }, { rights: ["Send"] }),
      all.post("api/purge", { entity: dead, name: dead, selection: { text: "ana" } }, { rights: ["Send"] }),
    ]);

    expect(refused.map(({ status }) => status)).toEqual([401, 401, 401, 401]);
    expect(all.audit).toEqual([]);
  });
});

describe("a line of the audit", () => {
  it("is one line, whatever names are asked for", async () => {
    const all = inspected(undefined, { bodies: "onRequest" });

    await all.get(`api/messages?${asQuery({ entity: "a\nb", path: '$["x\ny"] = 1' })}`);
    await all.get("api/export?entity=orders&from=1%0Aread");

    expect(all.audit.map(({ entity, detail }) => [entity, detail])).toEqual([["a\\nb", 'by $["x\\ny"]']]);
  });
});
