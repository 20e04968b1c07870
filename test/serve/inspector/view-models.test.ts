import { describe, expect, it } from "vitest";
import type { StoryAnswer } from "../../../src/serve/inspector/api.ts";
import { mergedGroups, noGroups } from "../../../src/serve/inspector/page/groups.ts";
import { type RepairDraft, draftOf, repairOf } from "../../../src/serve/inspector/page/repair-draft.ts";
import { purgeKey } from "../../../src/serve/inspector/page/purge-key.ts";
import { addressOf, type PagePlace, placeOf } from "../../../src/serve/inspector/page/router.ts";
import { tokenOf } from "../../../src/serve/inspector/page/sign-in.ts";
import { hexLines, lineDiff, partsOf, sizeText } from "../../../src/serve/inspector/page/text.ts";
import { readSas } from "../../../src/wire/http/sas.ts";
import { inspected, deadLettered, order } from "./inspected.support.ts";

describe("an address of the page", () => {
  it.each<PagePlace>([
    { view: "entities" },
    { view: "redrives" },
    { view: "redrive", id: "a-1" },
    { view: "message", entity: "prices/Subscriptions/eu/$DeadLetterQueue", sequence: "9007199254740993" },
    { view: "entity", path: "prices/Subscriptions/eu", tab: "dead", filter: { reason: "a & b=#?/", text: "é%" } },
    { view: "entity", path: "orders", tab: "sessions", filter: {} },
  ])("leads back to its place: %j", (place) => {
    expect(placeOf(addressOf(place))).toEqual(place);
  });

  it.each(["", "#", "#/m/orders", "#/m/orders/x", "#/e/%", "#/nowhere", "#/__proto__"])(
    "%j is the list of entities",
    (hash) => {
      expect(placeOf(hash)).toEqual({ view: "entities" });
    },
  );
});

describe("a confirmed deletion", () => {
  it("ends when another tab, filter or selection is chosen, though as many messages are meant", () => {
    const keys = [
      purgeKey("orders", undefined),
      purgeKey("orders/$DeadLetterQueue", undefined),
      purgeKey("orders/$DeadLetterQueue", { reason: "a" }),
      purgeKey("orders/$DeadLetterQueue", { reason: "b" }),
      purgeKey("orders/$DeadLetterQueue", { sequenceNumbers: ["1"] }),
      purgeKey("orders/$DeadLetterQueue", { sequenceNumbers: ["2"] }),
    ];

    expect(new Set(keys).size).toBe(keys.length);
  });

  it("goes on while the same messages are meant", () => {
    expect(purgeKey("orders", { reason: "a", text: undefined })).toBe(purgeKey("orders", { reason: "a" }));
  });
});

describe("texts of the page", () => {
  it("show what two texts share, and what only one has", () => {
    const lines = lineDiff("a\nb\nc", "a\nx\nc\nd");

    expect(lines.map(({ kind, text }) => `${kind} ${text}`)).toEqual([
      "same a",
      "removed b",
      "added x",
      "same c",
      "added d",
    ]);
    expect(lineDiff("same", "same")).toEqual([{ kind: "same", text: "same" }]);
  });

  it("show bytes as hex with printable ASCII next to them", () => {
    expect(hexLines(Uint8Array.of(0x41, 0, 0x7f, 0x7e), 4096)).toEqual([
      { offset: "000000", hex: "41 00 7f 7e", text: "A··~" },
    ]);
    expect(hexLines(new Uint8Array(40), 32)).toHaveLength(2);
  });

  it("are divided between lines, and a line that is longer than a part is one of its own", () => {
    expect(partsOf("a\nbb\n\nlong-line\nc\n", 4)).toEqual(["a\nbb", "long-line", "c"]);
    expect(partsOf("\n", 4)).toEqual([]);
  });

  it.each([
    [0, "0 B"],
    [1023, "1023 B"],
    [1536, "1.5 KB"],
    [3 * 2 ** 30, "3.0 GB"],
  ])("show %i bytes as %s", (bytes, text) => expect(sizeText(bytes)).toBe(text));
});

const part = (value: string, count: number, next: string | null) => ({
  facets: { ...noGroups.facets, reason: [{ value, count, first: "1" }] },
  scanned: count,
  next,
});

describe("groups of the page", () => {
  it("are merged from their parts, the largest first", () => {
    const all = mergedGroups(
      mergedGroups(mergedGroups(noGroups, part("a", 1, "2")), part("b", 2, "4")),
      part("a", 3, null),
    );

    expect(all).toMatchObject({
      scanned: 6,
      next: null,
      facets: {
        reason: [
          { value: "a", count: 4 },
          { value: "b", count: 2 },
        ],
      },
    });
  });
});

describe("a repair on the page", () => {
  const draft: RepairDraft = { contentType: "application/json", kind: "text", text: "{", properties: '{"a":1,"b":2}' };

  it("is only what was changed", () => {
    expect(repairOf(draft, draft)).toEqual({});
    expect(repairOf(draft, { ...draft, contentType: " " })).toEqual({ brokerProperties: { contentType: null } });
    expect(repairOf(draft, { ...draft, text: "{}" })).toEqual({ text: "{}" });
    expect(repairOf(draft, { ...draft, properties: '{"a":3}' })).toEqual({ applicationProperties: { a: 3, b: null } });
    expect(repairOf({ ...draft, kind: "body" }, { ...draft, kind: "body", text: "[1]" })).toEqual({ body: [1] });
  });

  it("waits while what is typed is not JSON", () => {
    expect(repairOf(draft, { ...draft, properties: "[" })).toContain("not a JSON object yet");
    expect(repairOf({ ...draft, kind: "body" }, { ...draft, kind: "body", text: "{x" })).toContain("not JSON yet");
  });

  it.each([
    ["a body that was read is edited as a value", order(1), "body"],
    [
      "a text that nothing read as text",
      { payload: Buffer.from("{oops"), brokerProperties: { contentType: "a/b" } },
      "text",
    ],
    ["other bytes not at all", { payload: Uint8Array.of(0, 255), brokerProperties: { contentType: "a/b" } }, "bytes"],
  ])("%s", async (_what, message, kind) => {
    const { engine, get } = inspected();
    await deadLettered(engine, "orders", [message]);
    const story: StoryAnswer = JSON.parse((await get("api/message?entity=orders/$DeadLetterQueue&sequence=1")).text);

    expect(draftOf(story).kind).toBe(kind);
  });
});

describe("signing in", () => {
  it("makes a token for the whole namespace that the server accepts, without the key in it", async () => {
    const text = "Endpoint=sb://localhost;SharedAccessKeyName=app;SharedAccessKey=c2VjcmV0LWtleQ==";
    const token = await tokenOf(text, "localhost:5300", Date.now());
    const read = readSas(token);

    expect(read).toMatchObject({ keyName: "app", resource: "sb://localhost:5300/" });
    expect(read.signedWith("c2VjcmV0LWtleQ==")).toBe(true);
    expect(token).not.toContain("c2VjcmV0");
  });

  it("takes a ready-made signature, and refuses what is not a connection string", async () => {
    expect(await tokenOf("SharedAccessSignature=SharedAccessSignature sr=a&sig=b", "h", 0)).toBe(
      "SharedAccessSignature sr=a&sig=b",
    );
    await expect(tokenOf("hello", "h", 0)).rejects.toThrow("SharedAccessKeyName");
  });
});
