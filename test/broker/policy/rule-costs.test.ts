import { describe, expect, it } from "vitest";
import type { Engine } from "../../../src/core/engine/index.ts";
import { memoryEngine } from "../../../src/broker/memory/index.ts";
import { Effort } from "../../../src/broker/policy/sql/effort.ts";
import { compileSqlFilter } from "../../../src/broker/policy/sql/filter.ts";
import { SqlParser } from "../../../src/broker/policy/sql/parser.ts";
import { createEnvelope } from "../../../src/core/envelope/index.ts";

const isLikeLong = { kind: "sql", expression: `text LIKE '%${"a_".repeat(450)}b%'` } as const;

async function topicWith(subscriptions: Readonly<Record<string, number>>): Promise<Engine> {
  const engine = memoryEngine({ topics: ["t"] });
  for (const [name, rules] of Object.entries(subscriptions))
    await engine.admin.createSubscription("t", name, {
      deadLetteringOnFilterEvaluationExceptions: true,
      rules: Array.from({ length: rules }, (_, index) => ({ name: `r${index}`, filter: isLikeLong })),
    });
  return engine;
}

describe("the rules of a topic", () => {
  it("fail for a message that costs them too much, which goes to the dead-letter queue", async () => {
    const engine = await topicWith({ few: 1, many: 40 });
    const sender = await engine.openSender("t");

    await sender.send([
      createEnvelope({ payload: new Uint8Array(), applicationProperties: { text: "a".repeat(10_000) } }),
    ]);

    const peek = { maxMessages: 10, fromSequenceNumber: undefined };
    expect(await engine.peek("t/subscriptions/few/$deadletterqueue", peek)).toHaveLength(0);
    expect(await engine.peek("t/subscriptions/many/$deadletterqueue", peek)).toMatchObject([
      { deadLetterReason: "FilterEvaluationException" },
    ]);
  });

  it.each([
    ["of nothing but wildcards", "%".repeat(60_000)],
    ["of many characters", String.fromCodePoint(...Array.from({ length: 21_000 }, (_, index) => 0x4e00 + index))],
  ])("fail soon for patterns %s that messages bring along", (_, pattern) => {
    const matches = compileSqlFilter("'a' LIKE pattern");
    const envelope = createEnvelope({ payload: new Uint8Array(), applicationProperties: { pattern } });
    const subject = { envelope, effort: new Effort() };

    const asked = (): unknown => [matches(subject), matches(subject)];

    expect(asked).toThrow(/exceeded the limit per message/);
  });

  it("do their work for ordinary messages, however many they are", async () => {
    const engine = await topicWith({ all: 100 });
    const sender = await engine.openSender("t");
    const text = `x${"ab".repeat(450)}b`;

    await sender.send([createEnvelope({ payload: new Uint8Array(), applicationProperties: { text } })]);

    expect((await engine.admin.getSubscriptionRuntimeProperties("t", "all")).totalMessageCount).toBe(1);
  });

  it("are 2,000 at most that every message is shown to", async () => {
    const engine = await topicWith({ all: 1999 });
    const other = { filter: { kind: "sql", expression: "a = 1" } } as const;
    await engine.admin.createRule("t", "all", "last", other);

    const refused = engine.admin.createRule("t", "all", "beyond", other);

    await expect(refused).rejects.toMatchObject({ code: "QuotaExceeded" });
    await expect(engine.admin.listRules("t", "all")).resolves.toHaveLength(2000);
    await engine.admin.deleteRule("t", "all", "last");
    await expect(engine.admin.createRule("t", "all", "beyond", other)).resolves.toBeUndefined();
  });

  it.each([
    ["parentheses", `${"(".repeat(400)}a = 1${")".repeat(400)}`],
    ["NOT", `${"NOT ".repeat(200)}a = 1`],
    ["signs", `a = ${"- ".repeat(300)}1`],
    ["functions", `a = ${"p(".repeat(300)}'b'${")".repeat(300)}`],
  ])("cannot nest %s without end", (_, expression) => {
    expect(() => new SqlParser(expression).condition()).toThrow(
      expect.objectContaining({
        code: "InvalidArgument",
        message: expect.stringContaining("nests more than 100 levels"),
      }),
    );
  });
});
