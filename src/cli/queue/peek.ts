import type { Serializer } from "../../core/codec/serializer.ts";
import { type PeekRange, peekPages } from "../../core/engine/peek-pages.ts";
import { atEndpoint, type Endpoint } from "./endpoint.ts";
import { viewAsJson, viewAsText, viewOf } from "./message-view.ts";
import { exitCodes } from "../misuse.ts";
import type { Terminal } from "../terminal.ts";

/** Which messages `sobre peek` shows, and how. */
export interface PeekRequest extends PeekRange {
  readonly json?: boolean;
}

/** The serializer and the terminal of a command that shows messages. */
export interface Showing {
  readonly serializer: Serializer;
  readonly terminal: Terminal;
}

/** Shows messages without taking them; resolves to the exit code. */
export function peekMessages(endpoint: Endpoint, request: PeekRequest, showing: Showing): Promise<number> {
  const { terminal, serializer } = showing;
  return atEndpoint(endpoint, terminal, async ({ engine, entity }) => {
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
