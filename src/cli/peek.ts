import type { Serializer } from "../codec/serializer.ts";
import { atEndpoint, type Endpoint } from "./endpoint.ts";
import { viewAsJson, viewAsText, viewOf } from "./message-view.ts";
import { exitCodes } from "./misuse.ts";
import type { Terminal } from "./terminal.ts";

/** Which messages `sobre peek` shows, and how. */
export interface PeekRequest {
  readonly max: number;
  readonly from: bigint | undefined;
  readonly session: string | undefined;
  readonly json: boolean;
}

/** The serializer and the terminal of a command that shows messages. */
export interface Showing {
  readonly serializer: Serializer;
  readonly terminal: Terminal;
}

/** Messages that are asked for at once. */
const page = 50;

/** Shows messages without taking them; resolves to the exit code. */
export function peekMessages(endpoint: Endpoint, request: PeekRequest, showing: Showing): Promise<number> {
  const { terminal, serializer } = showing;
  return atEndpoint(endpoint, terminal, async ({ engine, entity }) => {
    let left = request.max;
    let fromSequenceNumber = request.from;
    let worst: number = exitCodes.done;
    while (left > 0 && !terminal.closed) {
      const maxMessages = Math.min(left, page);
      const deliveries = await engine.peek(entity, { maxMessages, fromSequenceNumber, sessionId: request.session });
      for (const delivery of deliveries) {
        const view = viewOf(delivery, serializer);
        if (!view.ok) worst = exitCodes.failed;
        await terminal.out(request.json ? `${viewAsJson(view)}\n` : `${viewAsText(view, terminal, "short")}\n\n`);
        fromSequenceNumber = delivery.sequenceNumber + 1n;
      }
      left -= deliveries.length;
      if (deliveries.length === 0) break;
    }
    if (left === request.max) terminal.err(`sobre: ${entity} has no message to show\n`);
    return worst;
  });
}
