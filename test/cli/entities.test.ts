import { describe, expect, it } from "vitest";
import { columnTable } from "../../src/cli/column-table.ts";
import { displayWidth } from "../../src/cli/display.ts";
import { run as runProgram } from "../../src/cli/program.ts";
import { linesOf, mailbox } from "./calls.support.ts";
import { captureTerminal } from "./captured-terminal.support.ts";
import { type Place, put, queuePlaces, text } from "./queue-place.support.ts";

const place = queuePlaces();

/** The command in a terminal of that width. */
async function shown(
  { connectionString }: Place,
  columns: number,
  ...args: readonly string[]
): Promise<readonly string[]> {
  const terminal = captureTerminal({ columns });
  const all = [...args, "--connection-string", connectionString];
  await runProgram(all, { version: "1.2.3", mailbox }, terminal);
  return terminal.text().trimEnd().split("\n");
}

async function subscribed(): Promise<Place> {
  const own = place();
  await own.engine.admin.createTopic("prices");
  await own.engine.admin.createSubscription("prices", "eu");
  return own;
}

describe("sobre queue, topic and subscription", () => {
  it("create with the options of @azure/service-bus, times as people write them", async () => {
    const { engine, run } = place();
    const flags = [
      ["--lock-duration", "30s"],
      ["--max-delivery-count", "5"],
      ["--requires-session"],
      ["--requires-duplicate-detection"],
      ["--duplicate-detection-history-time-window", "PT5M"],
      ["--default-message-time-to-live", "1.5h"],
      ["--dead-lettering-on-message-expiration"],
      ["--forward-dead-lettered-messages-to", "orders"],
      ["--auto-delete-on-idle", "2d"],
      ["--max-size-in-megabytes", "2048"],
      ["--max-message-size-in-kilobytes", "2048"],
      ["--status", "SendDisabled"],
      ["--user-metadata", "of the shop"],
    ];

    const { code, terminal } = await run("queue", "create", "bills", ...flags.flat());

    expect([code, terminal.text()]).toEqual([0, "created queue bills\n"]);
    expect(await engine.admin.getQueue("bills")).toMatchObject({
      lockDuration: 30_000,
      maxDeliveryCount: 5,
      requiresSession: true,
      requiresDuplicateDetection: true,
      duplicateDetectionHistoryTimeWindow: 300_000,
      defaultMessageTimeToLive: 5_400_000,
      deadLetteringOnMessageExpiration: true,
      forwardDeadLetteredMessagesTo: "orders",
      autoDeleteOnIdle: 172_800_000,
      maxSizeInMegabytes: 2048,
      maxMessageSizeInBytes: 2_097_152,
      status: "SendDisabled",
      userMetadata: "of the shop",
    });
  });

  it("create topics and subscriptions, and delete them", async () => {
    const { engine, run } = place();

    await run("topic", "create", "prices", "--enable-partitioning");
    const flags = ["--lock-duration", "10s", "--no-dead-lettering-on-filter-evaluation-exceptions"];
    await run("subscription", "create", "prices", "eu", ...flags);
    const made = await engine.admin.getSubscription("prices", "eu");
    const gone = await run("subscription", "delete", "prices", "eu");
    const left = await engine.admin.listSubscriptions("prices");
    await run("topic", "delete", "prices");
    const queue = await run("queue", "delete", "orders");

    expect(made).toMatchObject({ lockDuration: 10_000, deadLetteringOnFilterEvaluationExceptions: false });
    expect([gone.code, gone.terminal.text(), left]).toEqual([0, "deleted subscription prices/eu\n", []]);
    expect(await engine.admin.listTopics()).toEqual([]);
    expect(queue.terminal.text()).toBe("deleted queue orders\n");
    expect(await engine.admin.queueExists("orders")).toBe(false);
  });

  it("list as many columns as fit, a line per entity", async () => {
    const own = place();
    await put(own.engine, "orders", text("1", "a"), text("2", "b"));
    await own.engine.admin.createQueue("a-queue-with-quite-a-long-name-for-40-columns", {
      forwardTo: "orders",
      status: "ReceiveDisabled",
    });

    const [narrow, usual, wide] = await Promise.all(
      [40, 80, 200].map((columns) => shown(own, columns, "queue", "list")),
    );

    for (const [lines, columns] of [
      [narrow, 40],
      [usual, 80],
      [wide, 200],
    ] as const) {
      expect(lines).toHaveLength(5);
      expect(Math.max(...(lines ?? []).map(displayWidth))).toBeLessThanOrEqual(columns);
    }
    expect(narrow?.[0]).toMatch(/^queue +active +dead$/);
    expect(narrow?.[1]).toMatch(/^a-queue-with-quite-a-l.*… +0 +0$/);
    expect(usual?.[0]).toMatch(/^queue +active +dead +scheduled/);
    expect(wide?.[0]).toMatch(/^queue +active +dead +scheduled +size +lock +deliveries$/);
    expect(wide?.[1]).toMatch(/^a-queue-with-quite-a-long-name-for-40-columns .* 1m +10 +ReceiveDisabled, to orders$/);
    expect(wide?.find((line) => line.startsWith("orders"))).toMatch(/^orders +2 +0 +0 +\d+ B +1m +10$/);
    expect(wide?.find((line) => line.startsWith("groups"))).toMatch(/sessions$/);
  });

  it("list and show as JSON, with settings and counts", async () => {
    const own = place();
    await put(own.engine, "orders", text("1", "a"));
    await own.run("topic", "create", "prices");
    await own.run("subscription", "create", "prices", "eu");

    const queues = await own.run("queue", "list", "--json");
    const queue = await own.run("queue", "show", "orders", "--json");
    const topics = await own.run("topic", "list", "--json");
    const subscriptions = await own.run("subscription", "list", "prices", "--json");

    expect(linesOf(queues.terminal)).toHaveLength(3);
    expect(linesOf(queue.terminal)).toMatchObject([{ name: "orders", lockDuration: 60_000, activeMessageCount: 1 }]);
    expect(linesOf(topics.terminal)).toMatchObject([{ name: "prices", subscriptionCount: 1 }]);
    expect(linesOf(subscriptions.terminal)).toMatchObject([{ name: "eu", maxDeliveryCount: 10, totalMessageCount: 0 }]);
  });

  it("show settings as the options are written", async () => {
    const own = place();

    const lines = await shown(own, 80, "queue", "show", "groups");

    expect(lines[0]).toBe("groups");
    expect(lines).toContainEqual(expect.stringMatching(/^ {2}lockDuration +1m$/));
    expect(lines).toContainEqual(expect.stringMatching(/^ {2}requiresSession +yes$/));
    expect(lines).toContainEqual(expect.stringMatching(/^ {2}defaultMessageTimeToLive +for ever$/));
    expect(lines).toContainEqual(expect.stringMatching(/^ {2}autoDeleteOnIdle +never$/));
    expect(lines).toContainEqual(expect.stringMatching(/^ {2}activeMessageCount +0$/));
  });

  it.each<readonly [number, readonly string[], string]>([
    [1, ["queue", "create", "orders"], "already exists"],
    [1, ["queue", "delete", "lost"], "could not be found"],
    [1, ["queue", "show", "lost"], "could not be found"],
    [1, ["subscription", "list", "lost"], "could not be found"],
    [1, ["queue", "create", "x", "--lock-duration", "1h"], "--lock-duration must be from 1 to 300000"],
    [2, ["queue", "create", "x", "--lock-duration", "soon"], "--lock-duration must be a time, e.g. 30s"],
    [2, ["queue", "create", "x", "--max-delivery-count", "0"], "--max-delivery-count must be a number of at least 1"],
    [2, ["queue", "create", "x", "--status", "Off"], "--status must be one of Active"],
    [2, ["topic", "create", "x", "--requires-session"], "unknown option '--requires-session'"],
    [2, ["queue", "create"], "missing required argument 'QUEUE'"],
    [2, ["subscription", "create", "prices"], "missing required argument 'SUBSCRIPTION'"],
  ])("end with %i and one line for %j", async (exit, args, words) => {
    const { code, terminal } = await place().run(...args);

    expect(code).toBe(exit);
    expect(terminal.errors()).toContain(words);
    expect(terminal.errors().trimEnd().split("\n")).toHaveLength(1);
  });

  it("say that nothing is there", async () => {
    const { code, terminal } = await place().run("topic", "list");

    expect([code, terminal.text(), terminal.errors()]).toEqual([0, "", "sobre: there is no topic\n"]);
  });
});

describe("sobre rule", () => {
  it("creates, lists, shows and deletes the rules of a subscription", async () => {
    const own = await subscribed();

    const sql = ["--sql", "total > 100", "--action", "SET size = 'large'"];
    const created = await own.run("rule", "create", "prices", "eu", "large", ...sql);
    const pairs = ["--correlation", "subject=order", "--property", "tier:=1", "--property", "zone=eu"];
    await own.run("rule", "create", "prices", "eu", "mine", ...pairs);
    const listed = await shown(own, 80, "rule", "list", "prices", "eu");
    const narrow = await shown(own, 40, "rule", "list", "prices", "eu");
    const one = await shown(own, 80, "rule", "show", "prices", "eu", "large");
    const json = await own.run("rule", "list", "prices", "eu", "--json");
    await own.run("rule", "delete", "prices", "eu", "$Default");

    expect(created.terminal.text()).toBe("created rule prices/eu/large\n");
    expect(listed).toEqual([
      "rule      accepts",
      "$Default  everything",
      "large     total > 100, then SET size = 'large'",
      'mine      subject = "order" and tier = 1 and zone = "eu"',
    ]);
    expect(Math.max(...narrow.map(displayWidth))).toBeLessThanOrEqual(40);
    expect(narrow[2]).toBe("large     total > 100, then SET size = …");
    expect(one).toEqual(["large", "  filter  total > 100", "  action  SET size = 'large'"]);
    expect(linesOf(json.terminal)[1]).toMatchObject({
      name: "large",
      filter: { kind: "sql", expression: "total > 100" },
    });
    expect((await own.engine.admin.listRules("prices", "eu")).map(({ name }) => name)).toEqual(["large", "mine"]);
  });

  it.each<readonly [number, readonly string[], string]>([
    [2, ["create", "prices", "eu", "x"], "either --sql, or --correlation"],
    [2, ["create", "prices", "eu", "x", "--sql", "a = 1", "--property", "a=1"], "either --sql, or --correlation"],
    [
      2,
      ["create", "prices", "eu", "x", "--correlation", "colour=red"],
      "unknown property colour. Expected one of: correlationId",
    ],
    [2, ["create", "prices", "eu", "x", "--correlation", "subject"], "--correlation must be NAME=TEXT"],
    [2, ["create", "prices", "eu", "x", "--property", "a:={"], '--property a: the value after ":=" is not JSON'],
    [2, ["create", "prices", "eu", "x", "--property", "a:=[1]"], "--property a must be a string, number"],
    [1, ["create", "prices", "eu", "x", "--sql", "a >"], "offset"],
    [1, ["show", "prices", "eu", "x"], "prices/eu has no rule x"],
    [1, ["delete", "prices", "eu", "x"], "could not be found"],
    [1, ["list", "prices", "us"], "could not be found"],
  ])("ends with %i for %j", async (exit, args, words) => {
    const own = await subscribed();

    const { code, terminal } = await own.run("rule", ...args);

    expect([code, terminal.errors()]).toEqual([exit, expect.stringContaining(words)]);
    expect(terminal.errors().trimEnd().split("\n")).toHaveLength(1);
  });
});

describe("a table of columns", () => {
  it("cuts its first column by the width that a terminal gives it, and leaves no line longer than that", () => {
    const rows = ["注文の待ち行列と呼ばれるもの", "short"];
    const columns = [
      { head: "name", cell: (row: string) => row },
      { head: "n", cell: () => "1", isNumber: true },
    ];

    expect(columnTable(rows, columns, 20).split("\n")).toEqual([
      "name               n",
      "注文の待ち行列と…  1",
      "short              1",
    ]);
  });
});
