import { envelopeToJson } from "../../../core/envelope/envelope-json.ts";
import type { QueueOptions } from "../../../core/engine/admin.ts";
import { isErrorCode } from "../../../core/errors/traits.ts";
import type { JsonSchema, FromJsonSchema } from "../../../core/json-schema/json-schema-type.ts";
import { finiteDuration } from "../../../core/options/duration-option.ts";
import { checkOption, invalidOption } from "../../../core/options/option-checks.ts";
import { type FaultOptions, faultyOperations, type Faults } from "../../../client/testing/faults.ts";
import { ManualClock } from "../../../core/time/manual-clock.ts";
import { toMilliseconds } from "../../../core/time/duration.ts";
import type { Json } from "../../../core/values/value-json.ts";
import { type ControlCall, type ControlRoute, reset, routeWithBody } from "./control.ts";

const entity = {
  type: "string",
  description: "The path of an entity, e.g. orders or prices/Subscriptions/eu.",
} as const;
const times = { type: "integer", minimum: 1, default: 1, description: "How often it happens." } as const;
const where = { entity: { ...entity, description: `${entity.description} Default: any.` }, times } as const;
const duration = {
  type: ["string", "number"],
  description: "Milliseconds, or text such as 5s, 1m or PT1M.",
} as const;
const strict = { type: "object", additionalProperties: false } as const;

const fault = {
  description: "A fault. Faults are used up in the order in which they were requested.",
  oneOf: [
    {
      ...strict,
      title: "Fails operations with a code; they have no effect.",
      properties: {
        kind: { const: "refuse" },
        operation: { enum: faultyOperations },
        code: { type: "string", description: "An error code, e.g. ServiceBusy or MessageLockLost." },
        ...where,
      },
      required: ["kind", "operation", "code"],
    },
    {
      ...strict,
      title: "Loses the responses to operations, which take effect.",
      properties: { kind: { const: "loseAnswer" }, operation: { enum: faultyOperations }, ...where },
      required: ["kind", "operation"],
    },
    {
      ...strict,
      title: "Delays messages by the broker's clock.",
      properties: {
        kind: { const: "delay" },
        by: duration,
        ...where,
      },
      required: ["kind", "by"],
    },
    {
      ...strict,
      title:
        "Loses accepted messages (drop), delivers them twice (duplicate), or loses the locks of received ones (loseLock).",
      properties: { kind: { enum: ["drop", "duplicate", "loseLock"] }, ...where },
      required: ["kind"],
    },
    {
      ...strict,
      title: "Disconnects all clients immediately.",
      properties: { kind: { const: "cut" } },
      required: ["kind"],
    },
  ],
} as const satisfies JsonSchema;

const entitySets = {
  description: "Names, or options by name, as memoryEngine takes them; durations in ISO 8601.",
  oneOf: [
    { type: "array", items: { type: "string" } },
    { type: "object", additionalProperties: { type: "object" } },
  ],
} as const;

const clock = {
  type: "object",
  properties: {
    now: { type: "string", format: "date-time" },
    virtual: { type: "boolean", description: "Whether time moves only when it is advanced." },
  },
  required: ["now", "virtual"],
} as const;

const sent = {
  type: "object",
  properties: {
    messages: {
      type: "array",
      items: {
        type: "object",
        properties: {
          entity,
          sentAt: { type: "string", format: "date-time" },
          envelope: { type: "object", description: "As in schemas/envelope.schema.json of the package." },
        },
        required: ["entity", "sentAt", "envelope"],
      },
    },
    forgotten: { type: "integer", description: "The number of older messages that are no longer kept." },
  },
  required: ["messages", "forgotten"],
} as const;

const timeOf = ({ control }: ControlCall): Json => ({
  now: new Date(control.clock.now()).toISOString(),
  virtual: control.clock instanceof ManualClock,
});

/** Every operation of the control. */
export const controlRoutes: readonly ControlRoute[] = [
  routeWithBody(
    { ...strict, properties: { entity: { ...entity, description: `${entity.description} Default: all.` } } },
    {
      method: "POST",
      path: "reset",
      operationId: "reset",
      summary:
        "Empties one entity or all of them: messages, locks, session states and the history of duplicate detection.",
      status: 204,
      run: async ({ target, body }) => reset(target.engine, body.entity),
    },
  ),
  {
    method: "GET",
    path: "clock",
    operationId: "getClock",
    summary: "Returns the time of the broker.",
    status: 200,
    answer: { description: "The time.", schema: clock },
    run: async (call) => timeOf(call),
  },
  routeWithBody(
    {
      ...strict,
      properties: { advance: duration },
      required: ["advance"],
    },
    {
      method: "POST",
      path: "clock",
      operationId: "advanceClock",
      summary: "Advances virtual time; responds when everything due by then has happened.",
      status: 200,
      answer: { description: "The new time.", schema: clock },
      async run(call) {
        checkOption("advance", call.body.advance, finiteDuration);
        await call.control.advance(toMilliseconds(call.body.advance, "advance"));
        return timeOf(call);
      },
    },
  ),
  routeWithBody(fault, {
    method: "POST",
    path: "faults",
    operationId: "addFault",
    summary: "Injects a fault.",
    status: 204,
    async run({ server, target, body }) {
      if (body.kind === "cut") server.cut(target.engine);
      else ask(target.faults, body);
    },
  }),
  {
    method: "DELETE",
    path: "faults",
    operationId: "clearFaults",
    summary: "Removes the faults that have not occurred yet.",
    status: 204,
    run: async ({ target }) => target.faults.clear(),
  },
  {
    method: "GET",
    path: "sent",
    operationId: "listSent",
    summary:
      "Lists the messages that were sent, oldest first, including those already received: at most 10,000, and 16 MiB of payload.",
    query: { entity: `${entity.description} Default: all.` },
    status: 200,
    answer: { description: "The messages.", schema: sent },
    async run({ target, query }) {
      const messages = target.sent.list(query.get("entity") ?? undefined).map((message) => ({
        entity: message.entity,
        sentAt: message.sentAt.toISOString(),
        envelope: envelopeToJson(message.envelope),
      }));
      return { messages, forgotten: target.sent.forgotten };
    },
  },
  {
    method: "DELETE",
    path: "sent",
    operationId: "clearSent",
    summary: "Clears the list of sent messages; the messages stay in their entities.",
    status: 204,
    run: async ({ target }) => target.sent.clear(),
  },
  {
    method: "GET",
    path: "namespaces",
    operationId: "listNamespaces",
    summary: "Lists the names of the namespaces besides the server's own.",
    status: 200,
    answer: { description: "The names.", schema: { type: "array", items: { type: "string" } } },
    run: async ({ server }) => server.names(),
  },
  routeWithBody(
    { ...strict, properties: { queues: entitySets, topics: entitySets } },
    {
      method: "PUT",
      path: "namespaces/{name}",
      operationId: "createNamespace",
      summary: "Creates a namespace that shares only the clock with the others.",
      status: 201,
      answer: {
        description: "The connection string of the namespace.",
        schema: {
          type: "object",
          properties: { connectionString: { type: "string" } },
          required: ["connectionString"],
        },
      },
      run: async ({ server, name, body }) => ({
        connectionString: server.create(name, { queues: setOf(body.queues), topics: setOf(body.topics) }),
      }),
    },
  ),
  {
    method: "DELETE",
    path: "namespaces/{name}",
    operationId: "dropNamespace",
    summary: "Deletes a namespace with everything in it, and disconnects its clients.",
    status: 204,
    run: async ({ server, name }) => server.drop(name),
  },
];

type Entities = readonly string[] | Readonly<Record<string, QueueOptions>>;

const setOf = (given: unknown): Entities | undefined => (isEntities(given) ? given : undefined);

/** The schema has seen to the form; the engine refuses options that it does not know, by name. */
const isEntities = (given: unknown): given is Entities => given !== undefined;

type PlannedFault = Exclude<FromJsonSchema<typeof fault>, { readonly kind: "cut" }>;

function ask(faults: Faults, asked: PlannedFault): void {
  switch (asked.kind) {
    case "refuse": {
      const { operation, code, ...options } = asked;
      if (!isErrorCode(code)) throw invalidOption("code", "must be an error code, e.g. ServiceBusy");
      return faults.refuse(operation, code, placeOf(options));
    }
    case "loseAnswer":
      return faults.loseAnswer(asked.operation, placeOf(asked));
    case "delay":
      checkOption("by", asked.by, finiteDuration);
      return faults.delay(asked.by, placeOf(asked));
    default:
      return faults[asked.kind](placeOf(asked));
  }
}

const placeOf = ({ entity: path, times: count }: FaultOptions): FaultOptions => ({ entity: path, times: count });
