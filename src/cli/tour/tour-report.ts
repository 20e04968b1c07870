import { counted, fit, oneLine, shortTypeName, visibleJson, wrapText } from "../display.ts";
import { readMailbox } from "./mailbox.ts";
import { exitCodes, type Terminal } from "../terminal.ts";
import { mailboxReading } from "../codecs.ts";
import { type TourDeadLetter, type Repair, type TourStop, takeTour, type Tour } from "./tour.ts";
import { attemptTable, gap, renderTable } from "../table.ts";
import type { ReadResult } from "../../core/codec/result.ts";
import { valueToJson } from "../../core/values/value-json.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";

/** Runs the tour of a mailbox and prints its report; resolves to the exit code. */
export async function visit(folder: string, terminal: Terminal): Promise<number> {
  const mailbox = await readMailbox(folder);
  const tour = await takeTour(mailbox, mailboxReading(mailbox));
  await terminal.out(tourReport(oneLine(folder), tour, terminal));
  const stops = [...tour.stops, ...(tour.repair === undefined ? [] : [tour.repair.stop])];
  const kept = tour.stops.length === mailbox.letters.length && tour.deadLetters.every(({ untouched }) => untouched);
  return kept && stops.every(({ surprise }) => surprise === undefined) ? exitCodes.done : exitCodes.failed;
}

type Screen = Pick<Terminal, "columns" | "style">;

/** The whole tour as text, in the order in which it happened. */
export function tourReport(folder: string, tour: Tour, screen: Screen): string {
  const title = heading(
    "The mailbox",
    `${counted(tour.stops.length, "message")} of ${folder}, through a queue in memory`,
    screen,
  );
  if (tour.stops.length === 0) return `${title}\nIts manifest lists no messages, so there is nothing to read.\n`;
  const parts = [
    title,
    ...tour.rules.map((rule) => screen.style.dim(fit(rule, screen.columns))),
    "",
    messageTable(tour.stops, screen),
    ...unreadableStories(tour.stops, screen),
    ...deadLetterStory(tour.deadLetters, screen),
    ...(tour.repair === undefined ? [] : repairStory(tour.repair, screen)),
    heading("In all", `${tour.milliseconds.toFixed(0)} ms`, screen),
    summary(tour, screen),
    fit(`To look at them in a browser: npx sobre ui --mailbox ${folder}`, screen.columns),
  ];
  return `${parts.join("\n")}\n`;
}

function unreadableStories(stops: readonly TourStop[], screen: Screen): readonly string[] {
  const unreadable = stops.filter(({ result }) => !result.ok);
  if (unreadable.length === 0) return [];
  return [
    heading("Unreadable", "every codec that was allowed to try, and why it gave up", screen),
    ...unreadable.map((stop) => story(stop, screen)),
  ];
}

function deadLetterStory(letters: readonly TourDeadLetter[], screen: Screen): readonly string[] {
  if (letters.length === 0) return [];
  return [heading("The dead-letter queue", deadLetterAside(letters), screen), deadLetterTable(letters, screen)];
}

function heading(title: string, aside: string, { columns, style }: Screen): string {
  return `\n${style.bold(title)}  ${style.dim(fit(aside, columns - title.length - 2))}\n`;
}

/** The width that is left for a table's last column. */
function rest(columns: number, taken: readonly number[]): number {
  return columns - taken.reduce((sum, width) => sum + width + gap, 0);
}

function widest(texts: readonly string[], most: number): number {
  return Math.min(most, Math.max(0, ...texts.map((text) => text.length)));
}

function messageTable(stops: readonly TourStop[], { columns, style }: Screen): string {
  const files = stops.map(({ letter }) => letter.file);
  const types = stops.map(declaredType);
  const readers = stops.map(reader);
  const taken = [
    widest(files, Math.min(24, Math.floor(columns / 4))),
    widest(types, Math.floor(columns * 0.24)),
    widest(["read by", ...readers], 20),
  ] as const;
  const body = rest(columns, taken);
  const rows = stops.map((stop, index) => [
    fit(files[index] ?? "", taken[0]),
    style.dim(fit(types[index] ?? "", taken[1])),
    (stop.result.ok ? style.green : style.red)(readers[index] ?? ""),
    stop.result.ok ? content(stop.result, body, style) : style.dim(fit(oneLine(ailment(stop)), body)),
  ]);
  const head = ["message", "declared content type", "read by", "body"].map((title, index) =>
    style.bold(fit(title, [...taken, body][index] ?? 0)),
  );
  const note = style.dim(fit("* by fallback: the content type was missing, broken, unknown or wrong", columns));
  return `${renderTable(rows, { widths: [...taken, body], head })}\n\n${note}`;
}

/** The name of its type, if the payload has one, and the body. */
function content({ body, typeName }: ReadResult, width: number, style: Screen["style"]): string {
  if (typeName === undefined) return preview(body, width);
  const name = fit(shortTypeName(oneLine(typeName)), Math.floor(width / 2));
  return `${style.bold(name.trimEnd())} ${preview(body, width - name.trimEnd().length - 1)}`;
}

function declaredType({ letter }: TourStop): string {
  const { bodyKind, brokerProperties } = letter.envelope;
  const { contentType, contentEncoding } = brokerProperties;
  const kind = bodyKind === "data" ? [] : [`AMQP ${bodyKind}`];
  const encoding = contentEncoding === undefined ? [] : [`(${contentEncoding})`];
  const declared = contentType === undefined ? [] : [oneLine(contentType)];
  return [...kind, ...declared, ...encoding].join(" ") || "none";
}

function reader({ result, byFallback }: TourStop): string {
  if (!result.ok) return "nothing";
  return byFallback ? `${result.codec}*` : result.codec;
}

/** The reason why a message is unreadable, in a few words. */
function ailment({ letter, result, likeness }: TourStop): string {
  if (result.ok) return "";
  const declared = letter.envelope.brokerProperties.contentType ?? "";
  const failure = result.attempts.find(({ outcome }) => outcome === "failed");
  const asDeclared = likeness !== undefined && declared.startsWith(likeness.contentType);
  // That broken JSON looks like JSON is not worth a mention.
  const telling = likeness !== undefined && !(asDeclared && result.attempts[0] === failure);
  if (telling) return `looks like ${likeness.name}`;
  if (failure === undefined) return "no known format";
  return `${failure.code}${failure.offset === undefined ? "" : ` at byte ${failure.offset}`}`;
}

/** One unreadable message: what it is, and a line for every attempt. */
function story(stop: TourStop, { columns, style }: Screen): string {
  const { letter, result, likeness } = stop;
  if (result.ok) return "";
  const facts = [
    declaredType(stop) === "none" ? "no content type" : declaredType(stop),
    counted(letter.envelope.payload.byteLength, "byte"),
    likeness === undefined ? "no known format" : `looks like ${likeness.name}`,
  ].join(", ");
  const title = `${style.red(letter.file)}  ${style.dim(fit(facts, columns - letter.file.length - 2))}`;
  return `${title}\n${attemptTable(result, { columns, style })}\n`;
}

function deadLetterAside(letters: readonly TourDeadLetter[]): string {
  const reasons = [...new Set(letters.map(({ reason }) => reason))].join(" or ");
  const changed = letters.filter(({ untouched }) => !untouched).length;
  const state = changed === 0 ? "byte for byte as they were sent" : `${changed} OF THEM CHANGED`;
  return `${counted(letters.length, "message")}, reason ${reasons}, ${state}`;
}

function deadLetterTable(letters: readonly TourDeadLetter[], { columns, style }: Screen): string {
  const files = letters.map(({ file }) => file);
  const taken = [3, widest(files, 24)] as const;
  const description = rest(columns, taken);
  const rows = letters.map((letter) => [
    String(letter.sequenceNumber),
    style.red(fit(letter.file, taken[1])),
    style.dim(fit(oneLine(letter.description.replace(`${letter.reason}: `, "")), description)),
  ]);
  const head = ["seq", "message", "description"].map(style.bold);
  return renderTable(rows, { widths: [...taken, description], head, right: [0] });
}

function repairStory({ file, before, after, stop }: Repair, screen: Screen): readonly string[] {
  const { columns, style } = screen;
  const { result } = stop;
  const label = 9;
  const width = columns - label - gap;
  const rows = [
    ["was", style.red(fit(before ?? "no content type", width))],
    ["is now", style.green(fit(after, width))],
    ["read by", result.ok ? style.green(reader(stop)) : style.red("nothing, again")],
    ["body", result.ok ? content(result, width, style) : fit(oneLine(result.error.message), width)],
  ];
  return [
    heading("One of them repaired", `${file}, given its content type and sent again`, screen),
    renderTable(
      rows.map(([name = "", text = ""]) => [style.dim(name), text]),
      { widths: [label, width] },
    ),
  ];
}

function summary(tour: Tour, { columns, style }: Screen): string {
  const { stops, deadLetters, repair } = tour;
  const read = stops.filter(({ result }) => result.ok);
  const fallback = read.filter(({ byFallback }) => byFallback).length;
  const lines = [
    `${counted(stops.length, "message")}: ${style.green(`${read.length} read`)} (${fallback} by fallback), ${style.red(`${deadLetters.length} dead-lettered`)}`,
    ...wrapText(`Read by ${tally(read) || "none"}`, columns),
  ];
  if (repair?.stop.result.ok === true) lines.push("1 dead letter repaired, sent again, and read");
  const surprises = [...stops, ...(repair === undefined ? [] : [repair.stop])].filter(({ surprise }) => surprise);
  const expectations = stops.length + (repair === undefined ? 0 : 1);
  lines.push(
    surprises.length === 0
      ? style.green(`All ${expectations} expectations of the manifest held.`)
      : style.red(`${surprises.length} of ${expectations} expectations of the manifest did not hold:`),
    ...surprises.map(({ letter, surprise }) => fit(`  ${letter.file}: ${surprise}`, columns)),
  );
  return lines.join("\n");
}

function tally(read: readonly TourStop[]): string {
  const counts = new Map<string, number>();
  for (const { result } of read) if (result.ok) counts.set(result.codec, (counts.get(result.codec) ?? 0) + 1);
  return Array.from(counts, ([codec, times]) => `${codec} ${times}`).join(", ");
}

/** Maximum bytes of a binary body in a preview; more do not fit on a line. */
const shownBytes = 64;

/** A body on one line of at most `width` columns, without anything that a terminal would interpret. */
export function preview(body: unknown, width: number): string {
  if (body === undefined) return fit("(empty)", width);
  if (typeof body === "string") return fit(oneLine(body.slice(0, width * 8)), width);
  if (body instanceof Uint8Array) return fit(hex(body), width);
  return fit(rendered(body), width);
}

/** A value as JSON text with `$` objects, or the reason why there is none. */
function rendered(value: unknown): string {
  try {
    return visibleJson(valueToJson(value));
  } catch (error) {
    if (error instanceof SobreError) return oneLine(`(${error.message})`);
    throw error;
  }
}

function hex(bytes: Uint8Array): string {
  const shown = Array.from(bytes.subarray(0, shownBytes), (byte) => byte.toString(16).padStart(2, "0")).join(" ");
  return `${bytes.byteLength} bytes: ${shown}${bytes.byteLength > shownBytes ? " …" : ""}`;
}
