import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { type Engine, lockToken } from "../../src/core/engine/index.ts";
import { createEnvelope, type Envelope } from "../../src/core/envelope/index.ts";
import { type ServedNamespace, type Server, startServer } from "../../src/serve/server/index.ts";
import { sobre } from "./calls.support.ts";

/** A namespace with a queue `orders` that nobody else uses, and its commands. */
export interface Place extends ServedNamespace {
  readonly path: (name: string) => string;
  readonly run: (...args: readonly string[]) => ReturnType<typeof sobre>;
}

/** Makes namespaces of one server, with a folder; both go away after the test file. */
export function queuePlaces(): () => Place {
  const scratch = mkdtempSync(join(tmpdir(), "sobre-queues-"));
  const started = startServer();
  let server: Server | undefined;
  let names = 0;
  beforeAll(async () => {
    server = await started;
  });
  afterAll(async () => {
    await server?.close();
    rmSync(scratch, { recursive: true });
  });
  return () => {
    const name = `case-${++names}`;
    if (server === undefined) throw new Error("A place is there from the first test on.");
    const own = server.namespace(name, {
      queues: { orders: {}, groups: { requiresSession: true }, once: { requiresDuplicateDetection: true } },
    });
    const run: Place["run"] = (...args) => sobre(...args, "--connection-string", own.connectionString);
    return { ...own, run, path: (leaf) => join(scratch, `${name}-${leaf}`) };
  };
}

export const text = (body: string, messageId: string, sessionId?: string): Envelope =>
  createEnvelope({
    payload: new TextEncoder().encode(body),
    brokerProperties: { messageId, contentType: "application/json", sessionId },
  });

/** JSON by its word, and nothing at all by its bytes. */
export const unreadable = (messageId: string): Envelope =>
  createEnvelope({
    payload: Uint8Array.of(255, 255, 255, 255),
    brokerProperties: { messageId, contentType: "application/json" },
  });

export async function put(engine: Engine, queue: string, ...envelopes: readonly Envelope[]): Promise<void> {
  const sender = await engine.openSender(queue);
  await sender.send(envelopes);
  await sender.close();
}

export async function bury(engine: Engine, queue: string, reason: string): Promise<void> {
  const receiver = await engine.openReceiver(queue, { receiveMode: "peekLock" });
  const [delivery] = await receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 0 });
  const token = delivery?.lockToken ?? lockToken("");
  await engine.settle(queue, token, {
    kind: "deadLetter",
    deadLetterReason: reason,
    deadLetterErrorDescription: "why",
  });
  await receiver.close();
}

export const idsIn = async (engine: Engine, queue: string): Promise<readonly unknown[]> =>
  (await engine.peek(queue, { maxMessages: 1000 })).map(({ envelope }) => envelope.brokerProperties.messageId);

export const lines = (...members: readonly object[]): string =>
  members.map((one) => `${JSON.stringify(one)}\n`).join("");

export const payload: object = { $bytes: "eyJpZCI6MX0=" };
