import { SobreError } from "../../core/errors/sobre-error.ts";
import type { EngineAdmin } from "../../core/engine/admin.ts";
import { columnTable, type Column } from "../table.ts";
import { oneLine, visibleJson } from "../display.ts";
import { atBroker, type EndpointOptions } from "./endpoint.ts";
import {
  type EntityKind,
  type AnyEntityOptions,
  kinds,
  type Path,
  settingNamed,
  settingsText,
} from "./entity-kinds.ts";
import { exitCodes, type Terminal } from "../terminal.ts";
import { spanText } from "../commander.ts";

/** An entity, and how it is shown. */
export interface EntityRequest extends EndpointOptions {
  readonly kind: EntityKind;
  readonly path: Path;
  readonly json?: boolean | undefined;
}

/** Creates an entity; resolves to the exit code. */
export function createEntity(
  request: EntityRequest & { readonly options: AnyEntityOptions },
  terminal: Terminal,
): Promise<number> {
  const { kind, path, options } = request;
  return atBroker(request, terminal, async ({ engine: { admin } }) => {
    await kind.create(admin, path, options).catch((error: unknown) => {
      throw error instanceof SobreError ? new SobreError(error.code, settingNamed(error), { cause: error }) : error;
    });
    await terminal.out(`created ${kind.holder} ${oneLine(path.join("/"))}\n`);
    return exitCodes.done;
  });
}

/** Deletes an entity with its messages; resolves to the exit code. */
export function deleteEntity(request: EntityRequest, terminal: Terminal): Promise<number> {
  const { kind, path } = request;
  return atBroker(request, terminal, async ({ engine: { admin } }) => {
    await kind.remove(admin, path);
    await terminal.out(`deleted ${kind.holder} ${oneLine(path.join("/"))}\n`);
    return exitCodes.done;
  });
}

/** Lists the entities of a kind; resolves to the exit code. */
export function listEntities(request: EntityRequest, terminal: Terminal): Promise<number> {
  const { kind, path, json } = request;
  return atBroker(request, terminal, async ({ engine: { admin } }) => {
    const facts: Facts[] = [];
    for (const name of await kind.list(admin, path)) {
      if (terminal.closed) break;
      const one = await factsOf(admin, kind, [...path, name]);
      if (json === true) await terminal.out(`${asJson(one)}\n`);
      else facts.push(one);
    }
    if (json === true) return exitCodes.done;
    if (facts.length === 0) terminal.err(`sobre: there is no ${kind.holder}\n`);
    else await terminal.out(`${columnTable(facts, columnsOf(kind), terminal.columns)}\n`);
    return exitCodes.done;
  });
}

/** Shows an entity with its settings and counts; resolves to the exit code. */
export function showEntity(request: EntityRequest, terminal: Terminal): Promise<number> {
  const { kind, path, json } = request;
  return atBroker(request, terminal, async ({ engine: { admin } }) => {
    const facts = await factsOf(admin, kind, path);
    await terminal.out(`${json === true ? asJson(facts) : asText(facts, terminal)}\n`);
    return exitCodes.done;
  });
}

/** An entity with its settings and counts. */
interface Facts {
  readonly name: string;
  readonly settings: AnyEntityOptions;
  readonly counts: Awaited<ReturnType<EntityKind["counts"]>>;
}

async function factsOf(admin: EngineAdmin, kind: EntityKind, path: Path): Promise<Facts> {
  const settings = await kind.settings(admin, path);
  return { name: path.at(-1) ?? "", settings, counts: await kind.counts(admin, path) };
}

/** Times are milliseconds; an unlimited one is omitted. */
function asJson({ name, settings, counts }: Facts): string {
  const finite = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== Infinity));
  return visibleJson({ ...finite, ...counts, name });
}

function asText({ name, settings, counts }: Facts, { style }: Terminal): string {
  const counted = Object.entries(counts).flatMap(([key, value]): readonly (readonly [string, string])[] =>
    key === "name" ? [] : [[key, value instanceof Date ? value.toISOString() : String(value)]],
  );
  const rows = [...settingsText(settings), ...counted];
  const width = Math.max(...rows.map(([key]) => key.length));
  return [style.bold(oneLine(name)), ...rows.map(([key, value]) => `  ${key.padEnd(width)}  ${oneLine(value)}`)].join(
    "\n",
  );
}

/** The columns of a list, the most important first: those that do not fit are left out. */
function columnsOf({ holder }: EntityKind): readonly Column<Facts>[] {
  const name: Column<Facts> = { head: holder, cell: ({ name: own }) => oneLine(own) };
  const number = (head: string, cell: Column<Facts>["cell"]): Column<Facts> => ({ head, cell, isNumber: true });
  const counted = (head: string, count: keyof Facts["counts"]): Column<Facts> =>
    number(head, ({ counts }) => String(counts[count] ?? ""));
  const notes: Column<Facts> = { head: "", cell: ({ settings }) => notesOf(settings).join(", ") };
  const scheduled = counted("scheduled", "scheduledMessageCount");
  const size = number("size", ({ counts }) => sizeText(counts.sizeInBytes ?? 0));
  if (holder === kinds.topic.holder)
    return [name, counted("subscriptions", "subscriptionCount"), scheduled, size, notes];
  const lock = number("lock", ({ settings }) => spanText(Number(settings.lockDuration)));
  const tries = number("deliveries", ({ settings }) => String(settings.maxDeliveryCount));
  return [
    name,
    counted("active", "activeMessageCount"),
    counted("dead", "deadLetterMessageCount"),
    ...(holder === kinds.queue.holder ? [scheduled, size] : []),
    lock,
    tries,
    notes,
  ];
}

function notesOf(settings: AnyEntityOptions): readonly string[] {
  const { status = "Active", requiresSession, requiresDuplicateDetection, forwardTo } = settings;
  return [
    ...(status === "Active" ? [] : [status]),
    ...(requiresSession === true ? ["sessions"] : []),
    ...(requiresDuplicateDetection === true ? ["no duplicates"] : []),
    ...(forwardTo === undefined ? [] : [`to ${oneLine(forwardTo)}`]),
  ];
}

function sizeText(bytes: number): string {
  const unit = ["B", "KB", "MB", "GB"].findLastIndex((_, index) => index === 0 || bytes >= 1024 ** index);
  return `${unit === 0 ? bytes : (bytes / 1024 ** unit).toFixed(1)} ${["B", "KB", "MB", "GB"][unit] ?? ""}`;
}
