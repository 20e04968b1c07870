import { readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { engineSuite, type EngineTarget, runEngineCase } from "../../src/broker/conformance/index.ts";
import { rabbitmqCapabilities } from "../../src/broker/rabbitmq/capabilities.ts";
import { rabbitmqEngine } from "../../src/broker/rabbitmq/rabbitmq-engine.ts";
import { ManualClock } from "../../src/core/time/index.ts";
import { RabbitmqServer } from "./rabbitmq-server.support.ts";

let server: RabbitmqServer;
let namespaces = 0;

/** Longer times are the broker's own, and no test waits for them. */
const longestWait = 2000;

const counted = "Before 4.3, RabbitMQ counts a delivery for each message that is returned.";
const brokersTime = "It takes a minute of the broker's own clock; rabbitmq-times.test.ts has the same with seconds.";
const noTransfer = "RabbitMQ forwards by itself, without a limit of hops and without a transfer dead-letter queue.";
const fixed = "RabbitMQ cannot change the arguments of a queue, so the update is refused.";
const unevaluated = "A rule that RabbitMQ cannot evaluate is refused when it is created, or accepts nothing.";

/** The departures of the engine, with their reasons; it passes all other cases whose capabilities it has. */
const deviations: Readonly<Record<string, string>> = {
  "abandon-order": "RabbitMQ delivers returned messages first, in the order in which they were returned.",
  "release-uncounted": counted,
  "update-ends-locks": counted,
  "connection-close-releases": counted,
  "expiry-dead-letters": brokersTime,
  "forward-expired": brokersTime,
  "schedule-waits": brokersTime,
  "schedule-by-send": brokersTime,
  "schedule-order": brokersTime,
  "schedule-enqueued-time": brokersTime,
  "bytes-of-scheduler": brokersTime,
  "forward-hops": noTransfer,
  "forward-ring": fixed,
  "forward-update": fixed,
  "expiry-dead-letters-switched": fixed,
  "forward-refused": noTransfer,
  "topic-filter-error": unevaluated,
  "sql-evaluation-error": unevaluated,
  "sql-like": "A pattern of LIKE must be a constant: RabbitMQ reads it once.",
  "sql-arithmetic": "RabbitMQ divides integers to fractions, so / and % are refused.",
  "sql-functions": "RabbitMQ has neither newid() nor names that are calculated.",
  quota: "RabbitMQ's limit counts the messages of one queue, and is exceeded by one.",
  "idle-deletion": "RabbitMQ does not count sends as use, so autoDeleteOnIdle is refused.",
};

/** Cases that hold, but wait for a minute of the broker's own clock. */
const leftOut: ReadonlySet<string> = new Set(["schedule-wakes"]);

const target: EngineTarget = {
  async open() {
    const clock = new ManualClock();
    const engine = await rabbitmqEngine({ url: server.url(), prefix: `case${namespaces++}.`, clock });
    return {
      engine,
      async advance(milliseconds) {
        if (milliseconds <= longestWait) await setTimeout(milliseconds);
        await clock.advance(milliseconds);
      },
    };
  },
  deviations,
};

describe("the page about engines", () => {
  it("counts the cases that the engine on RabbitMQ passes", () => {
    const page = readFileSync(new URL("../../docs/engines.md", import.meta.url), "utf8");
    const needless = engineSuite.filter(({ needs }) =>
      needs.every((need) => rabbitmqCapabilities[need].level !== "refused"),
    );
    const departures = needless.filter(({ name }) => name in deviations).length;
    const passed = needless.length - departures - leftOut.size;

    expect(Object.keys(deviations)).toHaveLength(departures);
    expect(page).toMatch(new RegExp(`rabbitmqEngine.*\\| ${passed} of ${needless.length} +\\|`));
    expect(page).toContain(
      `Of the ${needless.length} cases that need none of them, it passes ${passed}, departs from ${departures} `,
    );
  });
});

beforeAll(async () => {
  server = await RabbitmqServer.create();
});
afterAll(() => server[Symbol.asyncDispose]());

describe.concurrent("the engine on RabbitMQ keeps the promises of the message model that it does not refuse", () => {
  for (const engineCase of engineSuite.filter(({ name }) => !leftOut.has(name))) {
    it(`${engineCase.name}: ${engineCase.promise}`, async () => {
      const result = await runEngineCase(engineCase, target);

      if (result.outcome === "failed") throw result.error;
      expect(["passed", "skipped", "deviation"]).toContain(result.outcome);
    });
  }
});
