import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

/** Each wait is alone in a process that has nothing else to do: it must reach its end, and not just stop. */
const waits: Readonly<Record<string, string>> = {
  "a receive with a signal": `await client.createReceiver("orders").receiveMessages(1, { maxWaitTimeInMs: 20, abortSignal })`,
  "a receive that fetches ahead": `await client.createReceiver("orders", { prefetchCount: 2 }).receiveMessages(1, { maxWaitTimeInMs: 20 })`,
  "an acceptance with a signal": `await client.acceptNextSession("talks", { maxWaitTimeInMs: 20, abortSignal }).catch(() => 0)`,
  "a request": `await client.request("orders", { body: 1 }, { replyTo: "replies", timeoutInMs: 20 }).catch(() => 0)`,
  "a send that is tried again": `faults.refuse("send", "ServiceBusy"); await client.createSender("orders").sendMessages({ body: 1 })`,
};

it("a process stays alive for what it awaits, until the wait is over", () => {
  const bodies = Object.entries(waits).map(
    ([name, code]) => `async () => { ${code}; return ${JSON.stringify(name)}; }`,
  );
  // One after the other: each is alone in the process while it waits.
  const code = `
    import { createClient, createSerializer, json, memoryEngine } from "sobre";
    import { systemClock } from "sobre/engine";
    import { faultyEngine } from "sobre/testing";
    const inner = memoryEngine({ queues: { orders: {}, replies: {}, talks: { requiresSession: true } } });
    const { engine, faults } = faultyEngine(inner, systemClock);
    const serializer = createSerializer({ codecs: [json()] });
    const client = createClient({ engine, serializer, retryOptions: { retryDelayInMs: 20 } });
    const abortSignal = new AbortController().signal;
    for (const wait of [${bodies.join(",")}]) console.log(await wait());`;

  const printed = execFileSync(process.execPath, ["--conditions=sobre-source", "--input-type=module", "--eval", code], {
    cwd: fileURLToPath(new URL("../..", import.meta.url)),
    encoding: "utf8",
  });

  expect(printed.trim().split("\n")).toEqual(Object.keys(waits));
});
