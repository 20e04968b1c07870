import { withoutDeadLetterMarks } from "../client/dead-lettering.ts";
import { parseAddress, subQueueSuffix } from "../engine/address.ts";
import { capturedFromJson } from "../engine/delivery-json.ts";
import { SobreError } from "../errors/sobre-error.ts";
import {
  anObject,
  checkOptions,
  countFrom,
  entityName,
  flag,
  invalidOption,
  name,
  numberFrom,
  oneOf,
  type OptionChecks,
} from "../options/option-checks.ts";
import { parsedJson } from "../values/json.ts";
import type { RedriveInit, RepairInit } from "./api.ts";
import { requireRight } from "./caller.ts";
import type { InspectorParts } from "./inspector-parts.ts";
import { rendered, sequenceOf } from "./message-filter.ts";
import { PurgeJob } from "./purge-job.ts";
import { repaired } from "./repair.ts";
import { peekOne, requireChanges, type Route } from "./route.ts";

/** The operations that repair, move and delete, and those that try what these would do. */
export const changeRoutes: readonly Route[] = [
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
      jobs: parts.jobs.list(caller).map((job) => job.fact()),
    }),
  },
  {
    method: "GET",
    path: "redrives/{id}",
    summary: "Shows a re-drive, with the outcome of each message.",
    answer: "job",
    run: async ({ caller, parts, id, query }) =>
      parts.jobs.find(id, caller).answer(Number(query.get("from") ?? 0) || 0),
  },
  {
    method: "POST",
    path: "redrives",
    summary: "Starts to send dead letters back, or with `dryRun` only finds which those are.",
    answer: "jobFact",
    async run({ caller, parts, body, audit }) {
      const init = redriveOf(body);
      if (init.dryRun === false) requireChanges(parts);
      requireRight(caller, init.from, "Listen");
      if (init.repair !== undefined) refuseUnredacted(parts);
      const target = init.to ?? parseAddress(init.from).name;
      requireRight(caller, target, "Send");
      if (init.dryRun === false) audit("re-drive", init.from, `to ${target}`);
      return parts.jobs.start(init, caller, (job) => {
        if (!job.dryRun)
          audit(
            "re-drive ended",
            job.from,
            `${job.state}: ${job.sent} sent, ${job.failed} failed, ${job.doubled} doubled`,
          );
      });
    },
  },
  {
    method: "POST",
    path: "redrives/{id}/cancel",
    summary: "Ends a re-drive after the current message.",
    answer: "jobFact",
    changes: true,
    async run({ caller, parts, id, audit }) {
      const job = parts.jobs.find(id, caller);
      job.cancel();
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
    async run({ caller, parts, id, audit }) {
      const job = parts.jobs.find(id, caller);
      requireRight(caller, job.target, "Send");
      job.resume(caller);
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
      checkOptions(body, { entity: entityName, lines: name }, { needed: ["entity", "lines"] });
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
    summary: "Starts to delete every unlocked message of an entity, whose name is given twice.",
    answer: "purge",
    changes: true,
    async run({ caller, parts, body, audit }) {
      checkOptions(body, { entity: entityName, name }, { needed: ["entity", "name"] });
      const { entity, name: typed }: { readonly entity?: unknown; readonly name?: unknown } = body;
      if (typeof entity !== "string" || typed !== entity)
        throw invalidOption("name", "must be the path of the entity, typed again");
      requireRight(caller, entity, "Listen");
      audit("purge", entity, "started");
      const job = new PurgeJob(entity, caller.engine, ({ state, deleted }) =>
        audit("purge ended", entity, `${state}: ${deleted} deleted`),
      );
      parts.purges.keep(job, caller);
      void job.run();
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
      job.cancel();
      audit("purge cancelled", job.from, id);
      return job.fact();
    },
  },
];

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
  checkOptions(body, { entity: entityName, sequence: name, repair: anObject }, { needed: ["entity", "sequence"] });
  const { entity, sequence, repair }: Partial<Record<string, unknown>> = { ...body };
  return { entity: String(entity), sequence: sequenceOf(String(sequence)) ?? 0n, repair: { ...Object(repair) } };
}

const redriveChecks: OptionChecks<RedriveInit> = {
  from: entityName,
  to: entityName,
  selection: anObject,
  repair: anObject,
  dryRun: flag,
  rate: numberFrom(0.1),
  firstBatch: countFrom(1),
  settleTime: countFrom(0),
  stopOnFailure: flag,
  messageIds: oneOf("keep", "renew"),
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
