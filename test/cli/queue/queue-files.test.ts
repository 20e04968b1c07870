import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { deliveryFromJson } from "../../../src/core/engine/index.ts";
import { sobre } from "../calls.support.ts";
import { idsIn, lines, payload, queuePlaces, put, text, unreadable } from "./queue-place.support.ts";

const place = queuePlaces();

describe("sobre send", () => {
  it("sends a file once, however often it is run, and later only what was added", async () => {
    const { engine, run, path } = place();
    const orders = path("orders.ndjson");
    writeFileSync(orders, lines({ payload, brokerProperties: { messageId: "a" } }, { payload }));

    const first = await run("send", "orders", orders);
    const second = await run("send", "orders", orders);
    appendFileSync(orders, lines({ payload, brokerProperties: { messageId: "c" } }));
    const third = await run("send", "orders", orders);

    expect([first, second, third].map(({ terminal }) => terminal.text())).toEqual([
      "2 sent to orders\n",
      "nothing to send to orders, 2 before\n",
      "1 sent to orders, 2 before\n",
    ]);
    expect(await idsIn(engine, "orders")).toEqual(["a", expect.stringMatching(/^[0-9a-f]{24}-2$/), "c"]);
  });

  it("sends a migrated text with U+2028 and U+2029, at which Node ends lines, as it was", async () => {
    const { engine, run, path } = place();
    await put(engine, "once", text('{"a":"x\u2028y\u2029z"}', "a"));
    await run("capture", "once", path("old.ndjson"));
    await sobre("migrate", path("old.ndjson"), "--out", path("new.ndjson"));

    const { code } = await run("send", "orders", path("new.ndjson"));

    const sent = await engine.peek("orders", { maxMessages: 9 });
    expect(code).toBe(0);
    expect(sent.map(({ envelope }) => new TextDecoder().decode(envelope.payload))).toEqual(['{"a":"x\u2028y\u2029z"}']);
  });

  it("goes on after a cut: what the broker has not answered for is not in the journal", async () => {
    const { engine, run, path } = place();
    const orders = path("orders.ndjson");
    writeFileSync(orders, lines({ payload, brokerProperties: { messageId: "a" } }, { payload }));
    await run("send", "orders", orders);
    const [kept = ""] = readFileSync(`${orders}.sent`, "utf8").split("\n");
    writeFileSync(`${orders}.sent`, `${kept}\n`);

    const { terminal } = await run("send", "orders", orders);

    expect(terminal.text()).toBe("1 sent to orders, 1 before\n");
    expect(await idsIn(engine, "orders")).toHaveLength(3);
  });

  it("gives messages without id one of their line, which a queue that detects duplicates knows again", async () => {
    const { engine, run, path } = place();
    const orders = path("orders.ndjson");
    writeFileSync(orders, lines({ payload }, { payload }));

    await run("send", "once", orders);
    await run("send", "once", orders, "--again");

    expect(await idsIn(engine, "once")).toHaveLength(2);
  });

  it("sends nothing when a line cannot be read, and names it", async () => {
    const { engine, run, path } = place();
    const wrong = path("wrong.ndjson");
    writeFileSync(wrong, `${lines({ payload })}\n{"payload":1}\n`);

    const { code, terminal } = await run("send", "orders", wrong);

    expect(code).toBe(2);
    expect(terminal.errors()).toMatch(/^sobre: .*wrong\.ndjson, line 3: \$\.payload /);
    expect(await idsIn(engine, "orders")).toEqual([]);
  });

  it("keeps sessions apart and sends many lines in order", async () => {
    const { engine, run, path } = place();
    const many = Array.from({ length: 250 }, (_, index) => ({
      payload,
      brokerProperties: { messageId: `m${index}`, sessionId: index < 120 ? "s" : "t" },
    }));
    writeFileSync(path("many"), lines(...many));

    const dry = await run("send", "groups", path("many"), "--dry-run");
    const { terminal } = await run("send", "groups", path("many"));

    expect(dry.terminal.text()).toBe("250 would be sent to groups\n");
    expect(terminal.text()).toBe("250 sent to groups\n");
    expect(await idsIn(engine, "groups")).toEqual(many.map(({ brokerProperties }) => brokerProperties.messageId));
  });
});

describe("sobre capture", () => {
  it("copies envelopes that send sends again, and takes nothing", async () => {
    const { engine, run, path } = place();
    await put(engine, "orders", text('{"id":1}', "a"), unreadable("b"));

    const { code, terminal } = await run("capture", "orders", path("c"));
    await run("send", "once", path("c"));

    expect(code).toBe(0);
    expect(terminal.text()).toContain("2 messages of orders captured in");
    expect(await idsIn(engine, "orders")).toEqual(["a", "b"]);
    const [a, b] = await engine.peek("once", { maxMessages: 5 });
    expect([a, b].map((one) => Buffer.from(one?.envelope.payload ?? []).toString("hex"))).toEqual([
      Buffer.from('{"id":1}').toString("hex"),
      "ffffffff",
    ]);
  });

  it("goes on where it was, also when it was cut within a line", async () => {
    const { engine, run, path } = place();
    await put(engine, "orders", text("1", "a"), text("2", "b"), text("3", "c"));
    await run("capture", "orders", path("c"), "--max", "2");
    appendFileSync(path("c"), '{"payload":{"$by');

    const { terminal } = await run("capture", "orders", path("c"));

    expect(terminal.text()).toContain("1 message of orders captured in");
    const ids = readFileSync(path("c"), "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => deliveryFromJson(JSON.parse(line)).envelope.brokerProperties.messageId);
    expect(ids).toEqual(["a", "b", "c"]);
  });

  it("writes into no file of something else", async () => {
    const { run, path } = place();
    await run("capture", "orders", path("c"));
    writeFileSync(path("other"), "precious");

    const other = await run("capture", "orders", path("other"));
    const elsewhere = await run("capture", "once", path("c"));

    expect([other.code, elsewhere.code]).toEqual([2, 2]);
    expect(readFileSync(path("other"), "utf8")).toBe("precious");
    expect(elsewhere.terminal.errors()).toContain("is a capture of");
  });
});
