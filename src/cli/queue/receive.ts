import { peekPages, type PeekRange } from "../../core/engine/peek-pages.ts";
import { commandSerializer } from "../codecs.ts";
import type { SchemaOptions } from "../commander.ts";
import { atEndpoint, type BrokerEndpoint, type EndpointRequest } from "./endpoint.ts";
import { type MessageView, viewAsJson, viewAsText, viewOf } from "./message-view.ts";
import { exitCodes, type Terminal } from "../terminal.ts";
import type { Delivery } from "../../core/engine/delivery.ts";
import type { EngineReceiver } from "../../core/engine/engine.ts";
import { deliveryToJson } from "../../core/engine/delivery-json.ts";
import { appendTo } from "../files.ts";

/** Which messages `sobre peek` shows, and how. */
export interface PeekRequest extends PeekRange, EndpointRequest, SchemaOptions {
  readonly json?: boolean;
}

/** Shows messages without taking them; resolves to the exit code. */
export async function peekMessages(request: PeekRequest, terminal: Terminal): Promise<number> {
  const serializer = await commandSerializer(request);
  return atEndpoint(request, terminal, async ({ engine, entity }) => {
    let count = 0;
    let worst: number = exitCodes.done;
    for await (const page of peekPages(engine, entity, { ...request, size: 50 })) {
      for (const delivery of page) {
        const view = viewOf(delivery, serializer);
        if (!view.ok) worst = exitCodes.failed;
        const isJson = request.json === true;
        await terminal.out(isJson ? `${viewAsJson(view)}\n` : `${viewAsText(view, terminal, "short")}\n\n`);
      }
      count += page.length;
      if (terminal.closed) break;
    }
    if (count === 0) terminal.err(`sobre: ${entity} has no message to show\n`);
    return worst;
  });
}

/** Which messages `sobre receive` takes, and how it settles them. */
export interface ReceiveRequest extends EndpointRequest, SchemaOptions {
  readonly max: number;
  /** Seconds. */
  readonly wait: number;
  readonly session?: string;
  /** Take them from the next available session. */
  readonly nextSession?: boolean;
  /** The file to which envelopes are appended. */
  readonly out?: string;
  readonly complete: boolean;
  readonly json?: boolean;
}

/** Messages per receive: few enough to write and settle well within their locks. */
const batch = 10;

/** Receives, writes, then completes; resolves to the exit code. */
export async function receiveMessages(request: ReceiveRequest, terminal: Terminal): Promise<number> {
  const serializer = await commandSerializer(request);
  return atEndpoint(request, terminal, async (endpoint) => {
    const { engine, entity } = endpoint;
    const file = request.out === undefined ? undefined : await appendTo(request.out);
    let worst: number = exitCodes.done;
    let count = 0;
    /** Released at the end; otherwise they would be redelivered immediately. */
    const kept: Delivery[] = [];
    try {
      const receiver = await open(endpoint, request);
      while (count < request.max && !terminal.closed) {
        const maxMessages = Math.min(batch, request.max - count);
        const deliveries = await receiver.receive({ maxMessages, maxWaitTimeInMs: request.wait * 1000 });
        if (deliveries.length === 0) break;
        for (const delivery of deliveries) {
          const view = viewOf(delivery, serializer);
          if (!view.ok) worst = exitCodes.failed;
          await file?.append(`${JSON.stringify(deliveryToJson(delivery))}\n`);
          await terminal.out(shown(view, request, terminal));
          count++;
          // A message that could not be shown in full is not completed.
          const isWritten = (view.ok || request.json === true || file !== undefined) && !terminal.closed;
          if (!request.complete || !isWritten || delivery.lockToken === undefined) kept.push(delivery);
          else await engine.settle(entity, delivery.lockToken, { kind: "complete" });
        }
      }
    } finally {
      await file?.close();
      for (const delivery of kept) await giveBack(endpoint, delivery);
    }
    if (count === 0) terminal.err(`sobre: ${entity} had no message within ${request.wait} s\n`);
    return worst;
  });
}

/** If the lock is lost, the message is already back in the queue. */
async function giveBack({ engine, entity }: BrokerEndpoint, { lockToken }: Delivery): Promise<void> {
  if (lockToken === undefined) return;
  await engine.settle(entity, lockToken, { kind: "abandon" }).catch(() => undefined);
}

function open(
  { engine, entity }: BrokerEndpoint,
  { session, nextSession, wait }: ReceiveRequest,
): Promise<EngineReceiver> {
  const receiveMode = "peekLock";
  if (session === undefined && nextSession !== true) return engine.openReceiver(entity, { receiveMode });
  return engine.acceptSession(entity, { receiveMode, sessionId: session, maxWaitTimeInMs: wait * 1000 });
}

function shown(view: MessageView, { json, out }: ReceiveRequest, terminal: Terminal): string {
  if (json === true) return `${viewAsJson(view)}\n`;
  const text = viewAsText(view, terminal, "short");
  // One line is enough for a message that is in a file.
  return out === undefined ? `${text}\n\n` : `${text.split("\n", 1)[0] ?? ""}\n`;
}
