import { readFile } from "node:fs/promises";
import type { EngineSender } from "../engine/index.ts";
import { sizeOf } from "../envelope/index.ts";
import { appendTo, type AppendedFile } from "./appended-file.ts";
import { atEndpoint, type Endpoint } from "./endpoint.ts";
import { type EnvelopeLine, envelopeLines } from "./envelope-lines.ts";
import { exitCodes } from "./misuse.ts";
import type { Terminal } from "./terminal.ts";

/** What `sobre send` sends. */
export interface SendRequest {
  readonly file: string;
  /** Whether what was sent before is sent once more. */
  readonly again: boolean;
  readonly dryRun: boolean;
}

/** Most messages that are sent at once, and the part of the largest message that they take. */
const batch = { messages: 100, part: 0.75 } as const;

/** Sends the lines that were not sent before; resolves to the exit code. */
export function sendFile(endpoint: Endpoint, request: SendRequest, terminal: Terminal): Promise<number> {
  return atEndpoint(endpoint, terminal, async ({ engine, entity, address }) => {
    const { file, again, dryRun } = request;
    const lines: EnvelopeLine[] = [];
    const before = again || file === "-" ? new Set<string>() : await sentBefore(file, address);
    let passed = 0;
    // Nothing is sent before everything was read.
    for await (const line of envelopeLines(file)) {
      if (before.has(keyOf(line))) passed++;
      else lines.push(line);
    }
    const told = passed === 0 ? "" : `, ${passed} before`;
    if (dryRun || lines.length === 0) {
      await terminal.out(`${dryRun ? `${lines.length} would be sent` : "nothing to send"} to ${entity}${told}\n`);
      return exitCodes.done;
    }
    const sender = await engine.openSender(entity);
    const journal = file === "-" ? undefined : await appendTo(journalFile(file));
    try {
      await sendAll(sender, lines, { journal, address });
    } finally {
      await journal?.close();
      await sender.close();
    }
    await terminal.out(`${lines.length} sent to ${entity}${told}\n`);
    return exitCodes.done;
  });
}

const journalFile = (file: string): string => `${file}.sent`;

/** A changed line is another message; so is the same text on another line. */
const keyOf = ({ number, digest }: Pick<EnvelopeLine, "number" | "digest">): string => `${number} ${digest}`;

/** The lines that the journal tells to be at that address. */
async function sentBefore(file: string, address: string): Promise<Set<string>> {
  const text = await readFile(journalFile(file), "utf8").catch(() => "");
  const lines = text.split("\n").map((line) => /^(\d+) ([0-9a-f]{64}) (.+)$/.exec(line));
  return new Set(lines.flatMap((found) => (found?.[3] === address ? [`${found[1]} ${found[2]}`] : [])));
}

async function sendAll(
  sender: EngineSender,
  lines: readonly EnvelopeLine[],
  { journal, address }: { readonly journal: AppendedFile | undefined; readonly address: string },
): Promise<void> {
  for (let at = 0; at < lines.length;) {
    const together = lines.slice(at, endOfBatch(lines, at, sender.maxMessageSize));
    await sender.send(together.map(({ envelope }) => envelope));
    await journal?.append(together.map((line) => `${keyOf(line)} ${address}\n`).join(""));
    at += together.length;
  }
}

/** The messages of a batch are of one session and partition. */
function endOfBatch(lines: readonly EnvelopeLine[], start: number, maxMessageSize: number): number {
  const first = lines[start]?.envelope.brokerProperties;
  let size = 0;
  let end = start;
  for (; end < lines.length && end - start < batch.messages; end++) {
    const envelope = lines[end]?.envelope;
    if (envelope === undefined) break;
    const { sessionId, partitionKey } = envelope.brokerProperties;
    size += sizeOf(envelope);
    const fits = size <= maxMessageSize * batch.part && sessionId === first?.sessionId;
    if (end > start && !(fits && partitionKey === first?.partitionKey)) break;
  }
  return end;
}
