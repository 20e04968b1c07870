import { readFile } from "node:fs/promises";
import { json } from "../../../codecs/json/index.ts";
import { createClient } from "../../client/client/client.ts";
import type { RedriveOptions } from "../../client/client/redrive/options.ts";
import type { RedriveEntry, RedriveReport } from "../../client/client/redrive/report.ts";
import { createSerializer } from "../../core/codec/serializer.ts";
import type { Delivery } from "../../core/engine/delivery.ts";
import { parseAddress, subQueueSuffix } from "../../core/engine/address.ts";
import { peekPages } from "../../core/engine/peek-pages.ts";
import { counted, displayWidth, fit, oneLine, visibleJson } from "../display.ts";
import type { SchemaOptions } from "../commander.ts";
import { atEndpoint, type EndpointRequest } from "./endpoint.ts";
import { viewAsJson, viewAsText, viewOf } from "./message-view.ts";
import { exitCodes, Misuse, type Terminal } from "../terminal.ts";
import { gap, renderTable } from "../table.ts";
import type { RedriveLog } from "../../client/client/redrive/log.ts";
import { reasonOf } from "../../migration/read/file-reason.ts";
import { appendTo } from "../files.ts";

/** The dead-letter queue of an entity; of a sub-queue, itself. */
export const deadLettersOf = (entity: string): string =>
  parseAddress(entity).subQueue === undefined ? `${entity}${subQueueSuffix.deadLetter}` : entity;

/** Which dead letters to show, and how. */
export interface ListRequest extends EndpointRequest {
  readonly max?: number;
  readonly json?: boolean | undefined;
}

/** Lists dead letters; resolves to the exit code. */
export function listDeadLetters(request: ListRequest, terminal: Terminal): Promise<number> {
  const { max, json: asJson = false } = request;
  return atEndpoint(request, terminal, async ({ engine, entity }) => {
    const queue = deadLettersOf(entity);
    // The messages would scroll the counts away, and are too many to keep: they are peeked at twice.
    if (!asJson) await terminal.out(await reasonCounts(peekPages(engine, queue, { max }), entity));
    for await (const page of peekPages(engine, queue, { max })) {
      for (const delivery of page) {
        if (terminal.closed) return exitCodes.done;
        await terminal.out(asJson ? `${factsAsJson(delivery)}\n` : `${factsAsText(delivery, terminal)}\n`);
      }
    }
    return exitCodes.done;
  });
}

async function reasonCounts(pages: AsyncIterable<readonly Delivery[]>, entity: string): Promise<string> {
  const reasons = new Map<string, number>();
  let seen = 0;
  for await (const page of pages) {
    for (const { deadLetterReason: reason = "without reason" } of page)
      reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
    seen += page.length;
  }
  if (seen === 0) return `${oneLine(entity)} has no dead letters\n`;
  const counts = [...reasons]
    .toSorted(([, a], [, b]) => b - a)
    .map(([reason, count]) => `${count.toLocaleString("en")} ${oneLine(reason)}`);
  return `${oneLine(entity)} has ${counted(seen, "dead letter")}: ${counts.join(", ")}\n\n`;
}

function factsAsJson(delivery: Delivery): string {
  const { sequenceNumber, enqueuedTimeUtc, deliveryCount, deadLetterReason, deadLetterErrorDescription } = delivery;
  const { messageId, subject, contentType } = delivery.envelope.brokerProperties;
  return visibleJson({
    sequenceNumber: String(sequenceNumber),
    enqueuedTimeUtc,
    deliveryCount,
    messageId: messageId === undefined ? undefined : String(messageId),
    subject,
    contentType,
    deadLetterReason,
    deadLetterErrorDescription,
  });
}

function factsAsText(delivery: Delivery, { columns, style }: Terminal): string {
  const { sequenceNumber, enqueuedTimeUtc, deadLetterReason, deadLetterErrorDescription, envelope } = delivery;
  const id = fit(oneLine(String(envelope.brokerProperties.messageId ?? "without id")), 24);
  const head = `#${sequenceNumber}  ${enqueuedTimeUtc.toISOString().slice(0, 19)}Z  ${id}  `;
  const reason = oneLine(deadLetterReason ?? "without reason");
  const rest = columns - displayWidth(head) - displayWidth(reason);
  const why = deadLetterErrorDescription === undefined ? "" : fit(`: ${oneLine(deadLetterErrorDescription)}`, rest);
  return `${style.bold(`#${sequenceNumber}`)}${head.slice(`#${sequenceNumber}`.length)}${style.yellow(reason)}${why}`;
}

/** Which dead letter to show. */
export interface ShowRequest extends EndpointRequest, SchemaOptions {
  readonly sequence: bigint;
  readonly json?: boolean;
}

/** Shows one dead letter in full; resolves to the exit code. */
export async function showDeadLetter(request: ShowRequest, terminal: Terminal): Promise<number> {
  const { sequence, json: asJson = false } = request;
  // Only this command decodes messages.
  const { commandSerializer } = await import("../codecs.ts");
  const serializer = await commandSerializer(request);
  return atEndpoint(request, terminal, async ({ engine, entity }) => {
    const queue = deadLettersOf(entity);
    const [delivery] = await engine.peek(queue, { maxMessages: 1, fromSequenceNumber: sequence });
    if (delivery?.sequenceNumber !== sequence) {
      terminal.err(`sobre: ${queue} has no message #${sequence}\n`);
      return exitCodes.failed;
    }
    const view = viewOf(delivery, serializer);
    await terminal.out(`${asJson ? viewAsJson(view) : viewAsText(view, terminal, "all")}\n`);
    return view.ok ? exitCodes.done : exitCodes.failed;
  });
}

/** Which dead letters to re-drive, and the destination. */
export interface RedriveRequest
  extends
    ListRequest,
    Pick<RedriveOptions, "to" | "maxRedrives" | "messageIds" | "dryRun" | "rate" | "settleTime" | "stopOnFailure"> {
  readonly reason?: string;
  readonly sequence?: bigint;
  readonly batch?: number;
  /** The file that records the outcomes. */
  readonly log?: string;
}

/** Re-drives dead letters and reports each; resolves to the exit code. */
export function redriveDeadLetters(request: RedriveRequest, terminal: Terminal): Promise<number> {
  const { max, reason, sequence, json: asJson = false, batch, log: path, ...rest } = request;
  const { entity: _, connectionString: __, ca: ___, ...options } = rest;
  const { to, dryRun } = options;
  if (to !== undefined && parseAddress(to).subQueue !== undefined)
    throw new Misuse("--to must name a queue or topic: nothing can be sent to a dead-letter queue");
  if (path !== undefined && dryRun === true)
    throw new Misuse("--log records what is sent, and a dry run sends nothing");
  return atEndpoint(request, terminal, async ({ engine, entity }) => {
    const client = createClient({ engine, serializer: createSerializer({ codecs: [json()] }) });
    await using log = path === undefined ? undefined : await openRedriveLog(path);
    const report = await client.redrive(deadLettersOf(entity), {
      ...options,
      where: (delivery) =>
        (reason === undefined || delivery.deadLetterReason === reason) &&
        (sequence === undefined || delivery.sequenceNumber === sequence),
      maxMessages: max,
      firstBatch: batch,
      log,
      onProgress: (entry) => {
        if (entry.outcome !== "skipped") void terminal.out(`${entryText(entry, request, terminal)}\n`);
      },
    });
    if (!asJson) await terminal.out(`${summary(report)}\n`);
    const isWhole = report.state === "done" && report.failed + report.blocked + report.doubled === 0;
    return isWhole ? exitCodes.done : exitCodes.failed;
  });
}

function entryText(
  entry: RedriveEntry,
  { json: asJson = false, dryRun = false }: RedriveRequest,
  { columns, style }: Terminal,
): string {
  const { sequenceNumber, messageId, deadLetterReason, outcome, error } = entry;
  const id = messageId === undefined ? undefined : String(messageId);
  if (asJson) {
    const line = { sequenceNumber: String(sequenceNumber), messageId: id, deadLetterReason, dryRun, outcome, error };
    return visibleJson(line);
  }
  const word = outcome === "sent" ? style.green(dryRun ? "would be sent" : "sent") : style.red(outcome);
  const behind = outcome === "blocked" ? "an earlier message of its session is still there" : deadLetterReason;
  const why = oneLine(error === undefined ? (behind ?? "") : withOptions(error.message));
  const head = [word, `#${sequenceNumber}`, fit(oneLine(id ?? "without id"), 36)];
  return renderTable([[...head, why]], { widths: [13, 8, 36, Math.max(20, columns - 57 - 4 * gap)] });
}

/** A message of the library with the options of this command in place of its own. */
function withOptions(message: string): string {
  return message.replace('Set messageIds to "renew", or to "keep"', "Give --message-ids renew, or --message-ids keep");
}

function summary({ seen, sent, skipped, failed, blocked, doubled, dryRun, state, why }: RedriveReport): string {
  const parts = [`${sent} ${dryRun ? "would be sent" : "sent"}`];
  if (skipped > 0) parts.push(`${skipped} skipped`);
  if (failed > 0) parts.push(`${failed} failed`);
  if (blocked > 0) parts.push(`${blocked} left, since an earlier one of their session is`);
  if (doubled > 0) parts.push(`${doubled} sent but not removed`);
  const end = state === "stopped" ? `\nStopped: ${oneLine(withOptions(why ?? ""))}` : "";
  return `${counted(seen, "dead letter")} seen: ${parts.join(", ")}${end}`;
}

/** The log of a re-drive in a file, made when it is missing. @throws Misuse when it cannot be read or written. */
export async function openRedriveLog(path: string): Promise<RedriveLog & AsyncDisposable> {
  const file = await appendTo(path);
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    await file.close();
    throw new Misuse(`${path} cannot be read: ${reasonOf(error)}`);
  }
  // An earlier run may have ended in the middle of a line.
  if (text !== "" && !text.endsWith("\n")) await file.append("\n");
  return {
    read: async () => text.split("\n"),
    append: (line) => file.append(`${line}\n`),
    [Symbol.asyncDispose]: () => file.close(),
  };
}
