import { parseAddress } from "../../../core/engine/address.ts";
import { checkOption, invalidOption } from "../../../core/options/option-checks.ts";
import * as is from "../../../core/options/is.ts";
import type { RedriveEntry } from "./report.ts";

/**
 * A place for the outcomes of a re-drive: lines of text, each a JSON object.
 *
 * @example
 * ```ts
 * import { appendFile, readFile } from "node:fs/promises";
 *
 * const log = {
 *   read: async () => (await readFile("orders.log", "utf8").catch(() => "")).split("\n"),
 *   append: (line: string) => appendFile("orders.log", `${line}\n`),
 * };
 * ```
 */
export interface RedriveLog {
  /** Resolves to all lines, in order; none for a new re-drive. Empty lines and lines cut short are ignored. */
  read(): Promise<readonly string[]>;
  /** Resolves when the line is stored. */
  append(line: string): Promise<void>;
}

/** The progress of a re-drive by its log. */
export interface RedriveHistory {
  readonly id: string;
  /** The last dead letter when it first began; `undefined` where that is unknown. */
  readonly end: bigint | undefined;
  /** Sent, but not completed. */
  readonly doubled: ReadonlySet<bigint>;
}

/** The history in a log; `undefined` for an empty one. @throws SobreError `InvalidArgument` for another queue's log. */
export async function readHistory(log: RedriveLog, from: string): Promise<RedriveHistory | undefined> {
  const lines: unknown = await log.read();
  checkOption("log.read", lines, is.listOf("lines of text", is.text));
  if (!Array.isArray(lines)) return undefined;
  const [head, ...entries] = lines.map(parsed).filter((line) => line !== undefined);
  if (head === undefined) return undefined;
  const { redrive: id, from: logged, end } = head;
  if (typeof id !== "string" || typeof logged !== "string")
    throw invalidOption("log", "must be the log of a re-drive, which begins with its id");
  if (addressKey(logged) !== addressKey(from))
    throw invalidOption("log", `belongs to a re-drive of "${logged}", not of "${from}"`);
  const doubled = new Set<bigint>();
  for (const { sequenceNumber, outcome } of entries) {
    const number = bigintOf(sequenceNumber);
    if (number === undefined) continue;
    if (outcome === "doubled") doubled.add(number);
    else doubled.delete(number);
  }
  return { id, end: bigintOf(end), doubled };
}

/** The first line of a log. */
export function headLine(from: string, { id, end }: Pick<RedriveHistory, "id" | "end">, now: number): string {
  return JSON.stringify({ redrive: id, from, end: end?.toString(), startedAt: new Date(now) });
}

/** The line of an outcome. */
export function entryLine({ sequenceNumber, messageId, ...rest }: RedriveEntry, now: number): string {
  const id = messageId instanceof Uint8Array ? undefined : messageId?.toString();
  return JSON.stringify({ sequenceNumber: sequenceNumber.toString(), messageId: id, ...rest, at: new Date(now) });
}

/** A process that ends while it writes leaves half a line. */
function parsed(line: string): Readonly<Record<string, unknown>> | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

const bigintOf = (value: unknown): bigint | undefined =>
  typeof value === "string" && /^\d+$/.test(value) ? BigInt(value) : undefined;

const addressKey = (address: string): string => {
  const { name, subQueue } = parseAddress(address);
  return `${name}/${String(subQueue)}`.toLowerCase();
};
