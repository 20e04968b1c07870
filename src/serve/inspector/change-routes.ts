import { withoutDeadLetterMarks } from "../../client/client/dead-lettering.ts";
import { parseAddress, subQueueSuffix } from "../../core/engine/address.ts";
import { capturedFromJson } from "../../core/engine/delivery-json.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { checkOptions, invalidOption, type OptionChecks } from "../../core/options/option-checks.ts";
import * as is from "../../core/options/is.ts";
import { finiteDuration } from "../../core/options/duration-option.ts";
import { systemClock } from "../../core/time/clock.ts";
import { parsedJson } from "../../core/values/json.ts";
import type { JobFact, MessageSelection, RedriveInit, RepairInit } from "./api.ts";
import { type Caller, requireRight } from "./caller.ts";
import type { InspectorParts } from "./inspector-parts.ts";
import { createMessageFilter, type MessageFilter, rendered, sequenceOf } from "./message-filter.ts";
import { PurgeJob } from "./purge-job.ts";
import type { RedriveJob } from "./redrive-job.ts";
import { repaired } from "./repair.ts";
import { auditReading, type RouteCall, peekOne, requireChanges, type InspectorRoute } from "./route.ts";

/** The operations that repair, move and delete, and those that try what these would do. */
export const changeRoutes: readonly InspectorRoute[] = [
  {
    method: "POST",
    path: "verdict",
    summary: "Says what the chain would make of a message after a repair. Changes nothing.",
    answer: "repair",
    async run({ caller, parts, body, audit }) {
      const { entity, sequence, repair = {} } = verdictOf(body);
      requireRight(caller, entity, "Listen");
      refuseUnredacted(parts);
      const delivery = await peekOne(caller, entity, sequence);
      const envelope = await repaired(withoutDeadLetterMarks(delivery.envelope), repair, parts);
      const read = await parts.reading.read(envelope);
      const showsBody = parts.options.bodies !== "onRequest";
      if (!showsBody) audit("tried a repair", entity, `#${delivery.sequenceNumber}`);
      return {
        verdict: parts.reading.verdict(read, showsBody),
        versions: await parts.reading.versions(read),
        brokerProperties: parts.redaction.properties(rendered(envelope.brokerProperties)),
        applicationProperties: parts.redaction.properties(rendered(envelope.applicationProperties)),
      };
    },
  },
  {
    method: "GET",
    path: "redrives",
    summary: "Lists the re-drives of this server, the latest first.",
    answer: "jobs",
    run: async ({ caller, parts }) => ({
      jobs: (await parts.jobs.shelf()).list(caller).map((job) => job.fact()),
    }),
  },
  {
    method: "GET",
    path: "redrives/{id}",
    summary: "Shows a re-drive, with the outcome of each message.",
    answer: "job",
    run: async ({ caller, parts, id, query }) =>
      (await parts.jobs.shelf()).find(id, caller).answer(Number(query.get("from") ?? 0) || 0),
  },
  {
    method: "POST",
    path: "redrives",
    summary: "Starts to send dead letters back, or with `dryRun` only finds which those are.",
    answer: "jobFact",
    async run(call) {
      const { caller, parts, body, audit } = call;
      const init = redriveOf(body);
      if (init.dryRun === false) requireChanges(parts);
      requireRight(caller, init.from, "Listen");
      if (init.repair !== undefined) refuseUnredacted(parts);
      const target = init.to ?? parseAddress(init.from).name;
      requireTarget(caller, { from: init.from, target, leaves: init.broker !== undefined });
      const where = init.broker === undefined ? target : `${target} on ${init.broker}`;
      auditReading(call, init.from, init.selection ?? {});
      if (init.dryRun === false) audit("re-drive", init.from, `to ${where}`);
      return parts.jobs.start(init, caller, noted(audit));
    },
  },
  {
    method: "POST",
    path: "redrives/{id}/cancel",
    summary: "Ends a re-drive after the current message.",
    answer: "jobFact",
    changes: true,
    async run({ caller, parts, id, audit }) {
      const job = (await parts.jobs.shelf()).find(id, caller);
      job.end("cancelled", "");
      audit("re-drive cancelled", job.from, id);
      return job.fact();
    },
  },
  {
    method: "POST",
    path: "redrives/{id}/resume",
    summary: "Goes on with a re-drive that stopped; sends nothing twice.",
    answer: "jobFact",
    changes: true,
    async run(call) {
      const { caller, parts, id, audit } = call;
      const job = (await parts.jobs.shelf()).find(id, caller);
      requireTarget(caller, job);
      auditReading(call, job.from, job.selection);
      await job.resume(caller, noted(audit));
      audit("re-drive resumed", job.from, id);
      return job.fact();
    },
  },
  {
    method: "POST",
    path: "import",
    summary: "Sends the messages of an export to an entity.",
    answer: "count",
    changes: true,
    async run({ caller, body, audit }) {
      checkOptions(body, { entity: is.entityName, lines: is.name }, { needed: ["entity", "lines"] });
      const { entity, lines }: { readonly entity?: unknown; readonly lines?: unknown } = body;
      if (typeof entity !== "string" || typeof lines !== "string") throw invalidOption("entity", "must be a string");
      requireRight(caller, entity, "Send");
      const captured = lines
        .split("\n")
        .filter((line) => line.trim() !== "")
        .map((line) => capturedFromJson(parsedJson(line)));
      const sender = await caller.engine.openSender(entity);
      let count = 0;
      try {
        for (const { envelope } of captured) {
          await sender.send([withoutDeadLetterMarks(envelope)]);
          count++;
        }
      } catch (error) {
        const { code, message } = SobreError.from(error, "GeneralError", "The import failed");
        throw new SobreError(code, `${message} Before that, ${count} of ${captured.length} messages were sent.`, {
          cause: error,
        });
      } finally {
        audit("sent a capture", entity, `${count} sent`);
        await sender.close();
      }
      return { count };
    },
  },
  {
    method: "POST",
    path: "purge",
    summary:
      "Starts to delete every unlocked message of an entity, whose name is given twice; of a dead-letter queue only a selection, if one is given.",
    answer: "purge",
    changes: true,
    async run(call) {
      const { caller, parts, body, audit } = call;
      checkOptions(
        body,
        { entity: is.entityName, name: is.name, selection: is.object },
        { needed: ["entity", "name"] },
      );
      const { entity, name: typed, selection }: Partial<Record<string, unknown>> = { ...body };
      if (typeof entity !== "string" || typed !== entity)
        throw invalidOption("name", "must be the path of the entity, typed again");
      requireRight(caller, entity, "Listen");
      const selected = selection === undefined ? undefined : selectedOf(call, entity, { ...Object(selection) });
      const job = new PurgeJob(entity, {
        engine: caller.engine,
        clock: parts.options.clock ?? systemClock,
        selected,
        ended: ({ state, deleted }) => audit("purge ended", entity, `${state}: ${deleted} deleted`),
      });
      parts.purges.keep(job, caller);
      audit("purge", entity, selected === undefined ? "of every message" : "of a selection");
      job.begin();
      return job.fact();
    },
  },
  {
    method: "GET",
    path: "purges/{id}",
    summary: "Says how far a deletion is.",
    answer: "purge",
    run: async ({ caller, parts, id }) => parts.purges.find(id, caller).fact(),
  },
  {
    method: "POST",
    path: "purges/{id}/cancel",
    summary: "Ends a deletion after its current step; what is deleted stays so.",
    answer: "purge",
    changes: true,
    async run({ caller, parts, id, audit }) {
      const job = parts.purges.find(id, caller);
      job.end("cancelled", "");
      audit("purge cancelled", job.from, id);
      return job.fact();
    },
  },
];

/** The line of the audit for a re-drive that has ended. */
const noted =
  (audit: RouteCall["audit"]) =>
  ({ dryRun, from, state, sent, failed, doubled }: JobFact): void => {
    if (!dryRun) audit("re-drive ended", from, `${state}: ${sent} sent, ${failed} failed, ${doubled} doubled`);
  };

/**
 * Another broker is reached with rights that are not the caller's: only those may lend them who manage the entity, in the
 * server's own namespace.
 */
function requireTarget(caller: Caller, { from, target, leaves }: Pick<RedriveJob, "from" | "target" | "leaves">): void {
  if (leaves && !caller.isOfServer)
    throw new SobreError("UnauthorizedAccess", "Only the keys of the server send to its other brokers.");
  if (leaves) requireRight(caller, from, "Manage");
  else requireRight(caller, target, "Send");
}

/** @throws SobreError `InvalidArgument` for an entity other than a dead-letter queue, whose consumers would wait. */
function selectedOf(
  call: RouteCall,
  entity: string,
  selection: MessageSelection,
): { readonly filter: MessageFilter; readonly most: number } {
  if (parseAddress(entity).subQueue === undefined)
    throw invalidOption("selection", "is for dead-letter queues; delete the messages of others by receiving them");
  const { sequenceNumbers } = selection;
  auditReading(call, entity, selection);
  const filter = createMessageFilter(selection, call.parts);
  return { filter, most: sequenceNumbers === undefined ? Infinity : new Set(sequenceNumbers).size };
}

/** With another content type, a codec may read all of a body as one text, in which no member has a name. */
function refuseUnredacted({ redaction }: InspectorParts): void {
  if (redaction.active)
    throw new SobreError("InvalidOperation", "Messages are not repaired where members are redacted.");
}

interface VerdictInit {
  readonly entity: string;
  readonly sequence: bigint;
  readonly repair?: RepairInit;
}

function verdictOf(body: unknown): VerdictInit {
  checkOptions(
    body,
    { entity: is.entityName, sequence: is.name, repair: is.object },
    { needed: ["entity", "sequence"] },
  );
  const { entity, sequence, repair }: Partial<Record<string, unknown>> = { ...body };
  return { entity: String(entity), sequence: sequenceOf(String(sequence)) ?? 0n, repair: { ...Object(repair) } };
}

const redriveChecks: OptionChecks<RedriveInit> = {
  from: is.entityName,
  to: is.entityName,
  broker: is.name,
  selection: is.object,
  repair: is.object,
  dryRun: is.flag,
  rate: is.numberFrom(0.1),
  firstBatch: is.countFrom(1),
  settleTime: finiteDuration,
  stopOnFailure: is.flag,
  messageIds: is.oneOf("keep", "renew"),
};

const origin: keyof RedriveInit = "from";

function redriveOf(body: unknown): RedriveInit {
  checkOptions(body, redriveChecks, { needed: [origin] });
  if (!isRedrive(body)) throw invalidOption(origin, "must be a dead-letter queue");
  const { subQueue } = parseAddress(body.from);
  if (subQueue === undefined)
    throw invalidOption(origin, `must be a dead-letter queue, e.g. orders${subQueueSuffix.deadLetter}`);
  return body;
}

/** The checks have seen to its members. */
const isRedrive = (body: object): body is RedriveInit => origin in body;
