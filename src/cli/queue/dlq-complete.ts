import { existsSync, statSync } from "node:fs";
import { parseAddress } from "../../core/engine/address.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { type CompletedSource, completeSource } from "../../migration/read/complete-source.ts";
import type { MessageLeft, ReasonLeft } from "../../migration/read/source-completion.ts";
import { readJournal } from "../../migration/journal.ts";
import { isQuarantined } from "../../migration/quarantine.ts";
import { capturedFrom } from "./capture.ts";
import { counted, oneLine, visibleJson, wrapText } from "../display.ts";
import { deadLettersOf } from "./dlq.ts";
import { atEndpoint, brokerOf, type BrokerEndpoint, type EndpointRequest } from "./endpoint.ts";
import { exitCodes, Misuse, type Terminal } from "../terminal.ts";
import { sentLines } from "./send.ts";

/** Which migration to complete, and how. */
export interface CompleteRequest extends EndpointRequest {
  /** The journal that `sobre migrate --out` wrote. */
  readonly journal: string;
  /** Whether the entity itself is meant, not its dead-letter queue. */
  readonly active?: boolean;
  /** The folder with the copies of messages that failed. */
  readonly quarantine?: string;
  readonly leaveLossy?: boolean;
  /** Whether the output was sent to another broker, or by something other than `sobre send`. */
  readonly sentElsewhere?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

/** The suffix of journals. */
const suffix = ".journal";

/** Removes the messages of a migration from their source; resolves to the exit code. */
export function completeMigrated(request: CompleteRequest, terminal: Terminal): Promise<number> {
  const { journal, quarantine, active = false, leaveLossy, dryRun } = request;
  if (!journal.endsWith(suffix))
    throw new Misuse(`--journal ${journal}: a journal is named after its output: FILE${suffix}`);
  if (quarantine !== undefined && statSync(quarantine, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new Misuse(`--quarantine ${quarantine}: there is no such folder`);
  const output = journal.slice(0, -suffix.length);
  return atEndpoint(request, terminal, async ({ engine, entity: named, address }) => {
    const entity = active ? named : deadLettersOf(named);
    await checkSource(output, { engine, entity, address });
    const broker = brokerOf(address);
    const isSent = request.sentElsewhere === true ? undefined : await sentLines(output, broker);
    if (isSent === undefined && request.sentElsewhere !== true) {
      throw new Misuse(
        `nothing of ${output} has been sent to ${broker}: run \`sobre send ENTITY ${output}\` first; if it was sent to another broker, or by another program, give --sent-elsewhere`,
      );
    }
    const done = await completeSource({
      engine,
      entity,
      output,
      isSent,
      isArchived: quarantine === undefined ? undefined : (entry) => isQuarantined(quarantine, entry),
      leaveLossy,
      dryRun,
    });
    await terminal.out(request.json === true ? `${asJson(entity, done)}\n` : asText(entity, done, terminal));
    return done.left.some(({ reason }) => pending.has(reason)) ? exitCodes.failed : exitCodes.done;
  });
}

/** Messages that were migrated and are still there. */
const pending: ReadonlySet<ReasonLeft> = new Set(["changed", "unsent", "locked"]);

/** @throws Misuse when there is no journal, or when its messages are known to have come from another entity. */
async function checkSource(output: string, { engine, entity, address }: BrokerEndpoint): Promise<void> {
  const { source } = await readJournal(output).catch((error: unknown) => {
    throw error instanceof SobreError ? new Misuse(`--journal: ${error.message}`) : error;
  });
  const captured = await capturedFrom(source);
  const peeked = ` of ${engine.name}`;
  const from =
    captured !== undefined
      ? captured.slice(captured.indexOf("/") + 1)
      : source.endsWith(peeked) && !existsSync(source)
        ? source.slice(0, -peeked.length)
        : entity;
  if (from.toLowerCase() === entity.toLowerCase()) return;
  const hint = parseAddress(from).subQueue === undefined ? `${from} with --active` : parseAddress(from).name;
  throw new Misuse(`the messages were migrated from ${from}, not from ${entity} (${address}): name ${hint}`);
}

function asJson(entity: string, { left, ...rest }: CompletedSource): string {
  const all = left.map(({ sequenceNumber, ...one }) => ({ sequenceNumber: String(sequenceNumber), ...one }));
  return visibleJson({ entity, ...rest, left: all });
}

const explanations: Readonly<Record<ReasonLeft, string>> = {
  new: "arrived after the migration",
  changed: "have another id or other bytes than those that were migrated",
  failed: "were not migrated; --quarantine DIR also removes those that it has copies of",
  lossy: "lost information",
  unsent: "were migrated, but not sent yet",
  locked: "are held by another receiver; run this again later",
};

/** Sequence numbers that are listed for each reason. */
const maxNumbers = 20;

function asText(
  entity: string,
  { completed, gone, left, dryRun }: CompletedSource,
  { columns, style }: Terminal,
): string {
  const before = gone === 0 ? "" : `, ${gone.toLocaleString("en")} had left before`;
  const title = `${counted(completed, "message")} ${dryRun ? "would be completed" : "completed"} in ${oneLine(entity)}${before}`;
  const groups = Array.from(
    Map.groupBy(left, ({ reason }) => reason),
    ([reason, all]) => {
      const numbers = all.slice(0, maxNumbers).map(numberOf).join(" ");
      const more = all.length > maxNumbers ? ` and ${(all.length - maxNumbers).toLocaleString("en")} more` : "";
      const heading = `${all.length.toLocaleString("en")} left: ${explanations[reason]}`;
      return [
        ...wrapText(heading, columns - 2),
        ...wrapText(`${numbers}${more}`, columns - 4).map((line) => style.dim(`  ${line}`)),
      ];
    },
  );
  const rest = left.length === 0 ? (dryRun ? [] : ["the source is empty"]) : groups.flat();
  return `${[...wrapText(title, columns), ...rest.map((line) => `  ${line}`)].join("\n")}\n`;
}

const numberOf = ({ sequenceNumber }: MessageLeft): string => `#${sequenceNumber}`;
