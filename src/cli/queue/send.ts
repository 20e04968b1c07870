import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import type { EngineSender } from "../../core/engine/engine.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { sizeOf } from "../../core/envelope/size-of.ts";
import { appendTo, type AppendedFile } from "../files.ts";
import { atEndpoint, brokerOf, type EndpointRequest } from "./endpoint.ts";
import { type EnvelopeLine, envelopeLines } from "./envelope-lines.ts";
import { exitCodes, type Terminal } from "../terminal.ts";
import { wrapped } from "../display.ts";

/** The arguments of `sobre send`. */
export interface SendRequest extends EndpointRequest {
  readonly file: string;
  /** Whether messages that were sent before are sent again. */
  readonly again?: boolean;
  readonly dryRun?: boolean;
}

/** Maximum number of messages per send, and their share of the maximum message size. */
const batch = { messages: 100, part: 0.75 } as const;

/** Sends the lines that were not sent before; resolves to the exit code. */
export function sendFile(request: SendRequest, terminal: Terminal): Promise<number> {
  return atEndpoint(request, terminal, async ({ engine, entity, address }) => {
    const { file, again = false, dryRun = false } = request;
    const before = again || file === "-" ? new Set<string>() : await sentBefore(file, (where) => where === address);
    // Every file is read to its end before anything is sent, without holding one in memory.
    const lines = file === "-" ? await Array.fromAsync(envelopeLines(file)) : undefined;
    let [count, passed] = [0, 0];
    for await (const line of lines ?? envelopeLines(file)) {
      if (before.has(keyOf(line))) passed++;
      else count++;
    }
    const reported = passed === 0 ? "" : `, ${passed} before`;
    if (dryRun || count === 0) {
      await terminal.out(
        wrapped(`${dryRun ? `${count} would be sent` : "nothing to send"} to ${entity}${reported}`, terminal),
      );
      return exitCodes.done;
    }
    const sender = await engine.openSender(entity);
    const journal = file === "-" ? undefined : await appendTo(journalFile(file));
    try {
      const batches = new Batches(sender, { journal, address });
      for await (const line of lines ?? envelopeLines(file)) if (!before.has(keyOf(line))) await batches.add(line);
      await batches.send();
    } finally {
      await journal?.close();
      await sender.close();
    }
    await terminal.out(wrapped(`${count} sent to ${entity}${reported}`, terminal));
    return exitCodes.done;
  });
}

const journalFile = (file: string): string => `${file}.sent`;

/** A changed line is a new message, and so is the same text on another line. */
const keyOf = ({ number, digest }: Pick<EnvelopeLine, "number" | "digest">): string => `${number} ${digest}`;

/** Whether each line of a file has been sent to a broker, by its number from 1 up; `undefined` when none has. */
export async function sentLines(file: string, broker: string): Promise<((line: number) => boolean) | undefined> {
  const sent = await sentBefore(file, (where) => brokerOf(where) === broker);
  if (sent.size === 0) return undefined;
  const numbers = new Set<number>();
  for await (const line of envelopeLines(file)) if (sent.has(keyOf(line))) numbers.add(line.number);
  return (line) => numbers.has(line);
}

/** The lines that the journal lists as sent to an address that counts. */
async function sentBefore(file: string, counts: (address: string) => boolean): Promise<Set<string>> {
  const sent = new Set<string>();
  try {
    for await (const text of createInterface({ input: createReadStream(journalFile(file)), crlfDelay: Infinity })) {
      const [, number, digest, address] = /^(\d+) ([0-9a-f]{64}) (.+)$/.exec(text) ?? [];
      if (digest !== undefined && address !== undefined && counts(address)) sent.add(`${number} ${digest}`);
    }
  } catch {
    // Nothing was sent before.
  }
  return sent;
}

/** Sends lines in order, in batches, and records those that were accepted. */
class Batches {
  readonly #sender: EngineSender;
  readonly #journal: { readonly journal: AppendedFile | undefined; readonly address: string };
  #lines: EnvelopeLine[] = [];
  #size = 0;

  constructor(sender: EngineSender, journal: { readonly journal: AppendedFile | undefined; readonly address: string }) {
    this.#sender = sender;
    this.#journal = journal;
  }

  async add(line: EnvelopeLine): Promise<void> {
    const size = sizeOf(line.envelope);
    if (!this.#fits(line, size)) await this.send();
    this.#lines.push(line);
    this.#size += size;
  }

  /** Sends what is there. */
  async send(): Promise<void> {
    const lines = this.#lines;
    if (lines.length === 0) return;
    this.#lines = [];
    this.#size = 0;
    const { journal, address } = this.#journal;
    try {
      await this.#sender.send(lines.map(({ envelope }) => envelope));
    } catch (error) {
      // A partitioned entity that detects duplicates takes the messages of a batch by their ids.
      if (lines.length === 1 || !(error instanceof SobreError) || error.code !== "InvalidOperation") throw error;
      for (const line of lines) {
        this.#lines = [line];
        await this.send();
      }
      return;
    }
    await journal?.append(lines.map((line) => `${keyOf(line)} ${address}\n`).join(""));
  }

  /** The messages of a batch are of one session and partition. */
  #fits({ envelope }: EnvelopeLine, size: number): boolean {
    const first = this.#lines[0]?.envelope.brokerProperties;
    if (first === undefined) return true;
    const { sessionId, partitionKey } = envelope.brokerProperties;
    const hasRoom =
      this.#lines.length < batch.messages && this.#size + size <= this.#sender.maxMessageSize * batch.part;
    return hasRoom && sessionId === first.sessionId && partitionKey === first.partitionKey;
  }
}
