import { rmSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { EngineSender } from "../../../src/engine/engine.ts";
import { createEnvelope } from "../../../src/envelope/envelope.ts";
import { durableEngine } from "../../../src/engines/durable/index.ts";
import { SobreError } from "../../../src/errors/sobre-error.ts";

/**
 * Sends while the file FAULT makes the disk fail: `node fault-process.ts DIRECTORY FAULT`, with the recorder loaded. Prints the
 * ids of what was acknowledged.
 */
const [directory = "", fault = ""] = process.argv.slice(2);
const engine = await durableEngine({ directory, queues: ["orders"] });
const sender = await engine.openSender("orders");
const acknowledged: string[] = [];
let count = 0;

/** Sends one message; resolves to the code of its refusal. */
async function send(link: EngineSender): Promise<SobreError | undefined> {
  const messageId = `message-${++count}`;
  try {
    await link.send([createEnvelope({ payload: new Uint8Array(1024), brokerProperties: { messageId } })]);
    acknowledged.push(messageId);
    return undefined;
  } catch (error) {
    if (error instanceof SobreError) return error;
    throw error;
  }
}

async function there(): Promise<string> {
  const deliveries = await engine.peek("orders", { maxMessages: 1000 });
  return deliveries.map(({ envelope }) => String(envelope.brokerProperties.messageId)).join(" ");
}

function expect(what: string, actual: unknown, due: unknown): void {
  if (actual !== due) throw new Error(`${what}: ${String(actual)}, and ${String(due)} was due.`);
}

for (const kind of ["full", "readonly"]) {
  expect("a send before the fault", await send(sender), undefined);
  writeFileSync(fault, kind);
  const refused = await Promise.all([send(sender), send(sender), send(sender)]);
  for (const error of refused) {
    expect(`the code of a send on a ${kind} disk`, error?.code, "ServiceBusy");
    expect("whether to try again", error?.retryable, true);
  }
  expect(`a later send on a ${kind} disk`, (await send(sender))?.code, "ServiceBusy");
  rmSync(fault);
  for (let waited = 0; (await send(sender)) !== undefined; waited += 20) {
    if (waited > 10_000) throw new Error(`The engine did not go on after the ${kind} disk.`);
    await sleep(20);
  }
  expect(`the messages after the ${kind} disk`, await there(), acknowledged.join(" "));
}
writeFileSync(fault, "sync");
const failed = await send(sender);
expect("the code of a send whose sync failed", failed?.code, "Closed");
expect("whether to try that again", failed?.retryable, false);
rmSync(fault);
expect("a send after a failed sync", (await send(sender))?.code, "Closed");
await engine.close();
process.stdout.write(acknowledged.join(" "));
