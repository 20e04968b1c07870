import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createEnvelope } from "../../src/core/envelope/index.ts";
import { envelopeLines } from "../../src/cli/queue/envelope-lines.ts";
import { migrateExitCodes } from "../../src/cli/misuse.ts";
import { type ServedNamespace, type Server, startServer } from "../../src/serve/server/index.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const place = mkdtempSync(join(tmpdir(), "sobre-steps-"));
const path = (name: string): string => join(place, name);
const dead = "orders/$DeadLetterQueue";
const dotnet = (name: string): Uint8Array => new Uint8Array(readFileSync(join(root, "fixtures/legacy/dotnet", name)));

/** The commands of the page in their order. */
const commands: readonly string[] = Array.from(
  readFileSync(join(root, "docs/migrate.md"), "utf8").matchAll(/```sh\n(?<lines>[^]+?)\n```/g),
  ({ groups }) => groups?.["lines"]?.split("\n") ?? [],
).flat();

const payloads: readonly Uint8Array[] = [
  dotnet("nbfx-dcs-order.bin"),
  dotnet("xml-xs-order.bin"),
  dotnet("nbfx-dcs-string-json.bin"),
  new TextEncoder().encode('{"OrderId":"J-1"}'),
  dotnet("nbfx-dcs-order.bin").subarray(0, 300),
];
const count = 500;
/** How many messages have the last payload, which is broken. */
const broken = count / payloads.length;

let server: Server;
let broker: ServedNamespace;
beforeAll(async () => {
  server = await startServer();
  broker = server.namespace("steps", { queues: { orders: { lockDuration: "PT5S" } } });
  await bury(Array.from({ length: count }, (_, index) => index));
  mkdirSync(path("bin"));
  writeFileSync(path("bin/sobre"), `#!/bin/sh\nexec "${process.execPath}" "${root}src/cli/main.ts" "$@"\n`, {
    mode: 0o755,
  });
  cpSync(join(root, "fixtures/legacy/migrate/Order.json"), path("contracts/Order.json"), { recursive: true });
});
afterAll(async () => {
  await server.close();
  rmSync(place, { recursive: true });
});

/** Sends messages, and makes them dead letters. */
async function bury(ids: readonly number[]): Promise<void> {
  const { engine } = broker;
  const sender = await engine.openSender("orders");
  const receiver = await engine.openReceiver("orders", { receiveMode: "peekLock" });
  for (const id of ids) {
    const payload = new Uint8Array(payloads[id % payloads.length] ?? []);
    await sender.send([createEnvelope({ payload, brokerProperties: { messageId: `order-${id}` } })]);
    const [{ lockToken } = {}] = await receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 0 });
    if (lockToken !== undefined)
      await engine.settle("orders", lockToken, { kind: "deadLetter", deadLetterReason: "Unreadable" });
  }
  await receiver.close();
  await sender.close();
}

interface Ended {
  readonly code: unknown;
  readonly signal: unknown;
  readonly output: string;
}

/** Runs a command line in the folder; kills it as soon as the condition holds. */
async function run(command: string, isTimeToDie: () => boolean = () => false): Promise<Ended> {
  const env = {
    ...process.env,
    PATH: `${path("bin")}:${process.env["PATH"]}`,
    SERVICEBUS_CONNECTION_STRING: broker.connectionString,
  };
  const child = spawn("sh", ["-c", `exec ${command}`], { cwd: place, env, stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.on("data", (chunk) => {
    output += String(chunk);
  });
  const ended = once(child, "close");
  const watch = (): void => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    if (isTimeToDie()) child.kill("SIGKILL");
    else setImmediate(watch);
  };
  watch();
  const [code, signal]: unknown[] = await ended;
  return { code, signal, output };
}

const sizeOf = (name: string): number => (existsSync(path(name)) ? statSync(path(name)).size : 0);

let deadLetters = count;
let active = 0;
/** Keeps the counts of the queue up to date, so that a command can be killed in the middle. */
async function countMessages(): Promise<void> {
  const { activeMessageCount, deadLetterMessageCount } = await broker.engine.admin.getQueueRuntimeProperties("orders");
  [active, deadLetters] = [activeMessageCount, deadLetterMessageCount];
}

/** When each command is killed. */
const deaths: readonly (readonly [command: RegExp, isTimeToDie: () => boolean])[] = [
  [/^sobre capture/, () => sizeOf("dlq.ndjson") > 100_000],
  [/--out/, () => sizeOf("new.ndjson.journal") > 60_000],
  [/^sobre send/, () => (void countMessages(), active > 0)],
  [/complete(?!.*--dry-run)/, () => (void countMessages(), deadLetters < 450)],
];

describe("the steps of docs/migrate.md, from a broker's queue to an empty source", () => {
  it("are all run, each of those that write killed and repeated, and no message is lost", async () => {
    const outputs = new Map<string, Ended>();
    const killed: string[] = [];
    for (const command of commands) {
      const death = deaths.find(([pattern]) => pattern.test(command))?.[1];
      if (death !== undefined && (await run(command, death)).signal === "SIGKILL") killed.push(command);
      // The locks of a killed process expire.
      for (let tries = 0; tries < 20; tries++) {
        const ended = await run(command);
        outputs.set(command, ended);
        if (!ended.output.includes("run this again later")) break;
      }
    }

    const told = (start: string): string => [...outputs].findLast(([line]) => line.startsWith(start))?.[1].output ?? "";
    expect(killed).toEqual(commands.filter((command) => deaths.some(([pattern]) => pattern.test(command))));
    expect(
      [...outputs].filter(
        ([line, { code }]) => code !== (line.startsWith("sobre migrate") ? migrateExitCodes.failures : 0),
      ),
    ).toEqual([]);
    expect(told("jq").trim().split("\n")).toHaveLength(3 * broken);
    expect(told("sobre dlq complete orders")).toMatch(/the source is empty\n$/);
    expect(told("sobre dlq list")).toContain("no dead letters");
    expect(await broker.engine.peek(dead, { maxMessages: 1 })).toEqual([]);
    const sent = await broker.engine.peek("orders", { maxMessages: 2 * count });
    const ids = sent.map(({ envelope }) => String(envelope.brokerProperties.messageId));
    const kept = Array.from({ length: count }, (_, id) => id).filter((id) => id % payloads.length !== 4);
    expect(new Set(ids)).toEqual(new Set(kept.map((id) => `order-${id}`)));
    // One batch may have been accepted without being recorded.
    expect(ids.length - kept.length).toBeLessThanOrEqual(100);
    let lines = 0;
    for await (const { envelope } of envelopeLines(path("new.ndjson"))) lines += Number(envelope.payload.length > 0);
    expect(lines).toBe(count - broken);
  }, 400_000);
});
