import { deliveryToJson } from "../../core/engine/delivery-json.ts";
import type { Delivery } from "../../core/engine/delivery.ts";
import { peekPages } from "../../core/engine/peek-pages.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { invalidOption } from "../../core/options/option-checks.ts";
import { requireRight } from "./caller.ts";
import { listEntities } from "./entities.ts";
import { groupMessages, listMessages, type EntityScan } from "./listing.ts";
import { createMessageFilter, selectionNames, sequenceOf } from "./message-filter.ts";
import { auditReading, type RouteCall, entityOf, peekOne, type InspectorRoute } from "./route.ts";
import { listSessions } from "./session-facts.ts";
import { storyOf } from "./story.ts";

/** Rows of a page of messages, by default and at most. */
const rows = { default: 100, most: 500 } as const;

/** Messages of one peek of an export: they may be large. */
const exportedAtOnce = 20;

/** The size of one answer of an export; once it has this many characters, it ends with the current peek. */
const maxExport = { messages: 500, characters: 8 * 2 ** 20 };

/** The operations that change nothing. */
export const lookRoutes: readonly InspectorRoute[] = [
  {
    method: "GET",
    path: "session",
    summary: "Says which broker it is, and what the caller may do.",
    answer: "session",
    async run({ caller, parts }) {
      const { options, serializer } = parts;
      const { server, name: engine } = caller.engine;
      return {
        engine,
        broker: server === undefined ? null : `${server.address}:${server.port}`,
        production: options.production ?? false,
        changes: options.changes ?? false,
        bodies: options.bodies ?? "shown",
        redacted: parts.redaction.active,
        inspects: caller.engine.capabilities.inspect.level !== "refused",
        brokers: caller.isOfServer ? Object.keys(options.brokers ?? {}) : [],
        mayList: caller.can("", "Manage"),
        caller: caller.name,
        codecs: serializer.registry.decoders.map((decoder) => ({
          name: decoder.name,
          contentType:
            "contentType" in decoder && typeof decoder.contentType === "string"
              ? decoder.contentType
              : firstType(decoder.accepts),
        })),
        messageTypes: (options.messageTypes ?? []).map(({ name: type, versions }) => ({ name: type, versions })),
      };
    },
  },
  {
    method: "GET",
    path: "entities",
    summary: "Lists the entities that the caller may manage, with their counts.",
    answer: "entities",
    run: async ({ caller }) => ({
      entities: await listEntities(caller.engine, (path) => caller.can(path, "Manage")),
    }),
  },
  {
    method: "GET",
    path: "groups",
    summary: "Counts messages by reason, source, type and codec error; goes on from `next`.",
    answer: "groups",
    run: async (call) => groupMessages(scanOf(call)),
  },
  {
    method: "GET",
    path: "messages",
    summary: "Lists messages in order of sequence number; goes on from `next`.",
    answer: "messages",
    run: async (call) => listMessages(scanOf(call), maxOf(call.query, rows), call.parts.redaction),
  },
  {
    method: "GET",
    path: "message",
    summary: "Describes one message: its facts, its body, every attempt, and every section.",
    answer: "story",
    async run(call) {
      const { parts, query, audit } = call;
      const delivery = await wanted(call);
      const isHidden = parts.options.bodies === "onRequest";
      const isAsked = query.get("body") === "1";
      if (isHidden && isAsked) audit("read the body", entityOf(query), `#${delivery.sequenceNumber}`);
      return storyOf(delivery, { ...parts, showsBody: !isHidden || isAsked });
    },
  },
  {
    method: "GET",
    path: "sessions",
    summary:
      "Lists sessions with their holder, state and first message, as far as the engine says; goes on with `skip` at `next`.",
    answer: "sessions",
    async run({ caller, parts, query }) {
      const entity = entityOf(query);
      requireRight(caller, entity, "Listen");
      const { reading, redaction, options } = parts;
      const showsState = options.bodies !== "onRequest" && !redaction.active;
      return listSessions(caller.engine, entity, { reading, redaction, showsState, skip: skipOf(query) });
    },
  },
  {
    method: "GET",
    path: "export",
    summary: "Exports messages as lines of JSON in the format of `sobre capture`; continue after the last line.",
    answer: "lines",
    async run({ caller, parts, query, audit }) {
      const entity = entityOf(query);
      requireRight(caller, entity, "Listen");
      if (parts.redaction.active)
        throw new SobreError("InvalidOperation", "Nothing is exported where members are redacted.");
      const lines: string[] = [];
      const max = maxOf(query, { default: maxExport.messages, most: maxExport.messages });
      const from = sequenceOf(query.get("from"));
      audit("export", entity, `from #${from ?? 0n}`);
      let length = 0;
      for await (const page of peekPages(caller.engine, entity, { max, from, size: exportedAtOnce })) {
        for (const delivery of page) {
          const line = `${JSON.stringify(deliveryToJson(delivery))}\n`;
          length += line.length;
          lines.push(line);
        }
        if (length >= maxExport.characters) break;
      }
      return lines.join("");
    },
  },
];

function scanOf(call: RouteCall): EntityScan {
  const { caller, parts, query, abortSignal } = call;
  const entity = entityOf(query);
  requireRight(caller, entity, "Listen");
  const given = Object.fromEntries(
    selectionNames.flatMap((member) => (query.has(member) ? [[member, query.get(member) ?? ""]] : [])),
  );
  const from = sequenceOf(query.get("from"));
  auditReading(call, entity, given);
  return { engine: caller.engine, entity, from, filter: createMessageFilter(given, parts), abortSignal };
}

async function wanted({ caller, query }: RouteCall): Promise<Delivery> {
  const entity = entityOf(query);
  requireRight(caller, entity, "Listen");
  return peekOne(caller, entity, sequenceOf(query.get("sequence")) ?? 0n);
}

function maxOf(query: URLSearchParams, limits: { readonly default: number; readonly most: number }): number {
  const given = query.get("max");
  const max = given === null ? limits.default : Number(given);
  if (Number.isInteger(max) && max >= 1) return Math.min(max, limits.most);
  throw invalidOption("max", "must be a whole number from 1 up");
}

function skipOf(query: URLSearchParams): number {
  const skip = Number(query.get("skip") ?? 0);
  if (Number.isInteger(skip) && skip >= 0) return skip;
  throw invalidOption("skip", "must be a whole number from 0 up");
}

const firstType = (accepts: readonly { readonly type: string }[]): string | null =>
  accepts.find(({ type }) => !type.includes("*"))?.type ?? null;
