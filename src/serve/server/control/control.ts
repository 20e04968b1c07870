import type { Engine } from "../../../core/engine/engine.ts";
import { SobreError } from "../../../core/errors/sobre-error.ts";
import { issuePath, type StandardSchema } from "../../../core/message/standard-schema.ts";
import { jsonSchema } from "../../../core/json-schema/json-schema.ts";
import type { FromJsonSchema, JsonSchema } from "../../../core/json-schema/json-schema-type.ts";
import type { Faults } from "../../../client/testing/faults.ts";
import { faultyEngine } from "../../../client/testing/faulty-engine.ts";
import type { SentMessages } from "../../../client/testing/sent-messages.ts";
import { type Clock, systemClock } from "../../../core/time/clock.ts";
import { ManualClock } from "../../../core/time/manual-clock.ts";
import type { Json } from "../../../core/values/value-json.ts";
import type { NamespaceOptions } from "../server-options.ts";

/** A server, as its control sees it. */
export interface ControlledServer {
  /** Whether its own namespace has keys. */
  readonly hasKeys: boolean;
  /** Makes a namespace; returns its connection string. @throws SobreError `InvalidArgument`, `InvalidOperation`. */
  create(name: string, options: NamespaceOptions): string;
  /** Drops a namespace with everything in it. @throws SobreError `MessagingEntityNotFound`. */
  drop(name: string): Promise<void>;
  /** The engine of a namespace. @throws SobreError `MessagingEntityNotFound`. */
  engineOf(name: string): Engine;
  /** The names of namespaces besides the server's own. */
  names(): readonly string[];
  /** Cuts the AMQP connections of a namespace's clients without a word. */
  cut(engine: Engine): void;
}

/** A namespace that can be controlled. */
export interface Controlled {
  readonly engine: Engine;
  readonly faults: Faults;
  readonly sent: SentMessages;
}

/** The parts of a request, and of the server that it is about. */
export interface ControlCall<Body = unknown> {
  readonly control: Control;
  readonly server: ControlledServer;
  readonly target: Controlled;
  /** The value of the path's parameter, where it has one. */
  readonly name: string;
  readonly query: URLSearchParams;
  readonly body: Body;
}

/** An operation of the control: its OpenAPI description, and what it does. */
export interface ControlRoute<Body = unknown> {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Below `$control`, with at most one parameter, at its end: `namespaces/{name}`. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  /** Descriptions of query parameters by their names. */
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: JsonSchema;
  readonly status: number;
  /** `undefined`: an answer without body. */
  readonly answer?: { readonly description: string; readonly schema: JsonSchema };
  readonly run: (call: ControlCall<Body>) => Promise<Json | void>;
}

/** A route whose body is checked, and has the type that the schema describes. */
export function routeWithBody<const Schema extends JsonSchema>(
  body: Schema,
  given: Omit<ControlRoute<FromJsonSchema<Schema>>, "body">,
): ControlRoute {
  let compiled: StandardSchema<FromJsonSchema<Schema>> | undefined;
  return {
    ...given,
    body,
    async run(call) {
      compiled ??= jsonSchema(body);
      const result = await compiled["~standard"].validate(call.body);
      if (result.issues === undefined) return given.run({ ...call, body: result.value });
      const [issue = { message: "is wrong" }] = result.issues;
      const path = issuePath(issue);
      throw new SobreError("InvalidArgument", `The body does not match its schema at ${path}: ${issue.message}.`, {
        path,
      });
    },
  };
}

/** Steers a server: its time, its faults, its namespaces. */
export class Control {
  readonly clock: Clock;
  readonly #controlled = new WeakMap<Engine, Controlled>();

  constructor(clock: Clock = systemClock) {
    this.clock = clock;
  }

  /** The engine to serve in place of one: it has faults on demand, and notes what is sent. */
  over(engine: Engine): Engine {
    const controlled = faultyEngine(engine, this.clock);
    this.#controlled.set(controlled.engine, controlled);
    return controlled.engine;
  }

  /** @throws SobreError `InvalidOperation` for an engine that is not controlled. */
  of(engine: Engine): Controlled {
    const controlled = this.#controlled.get(engine);
    if (controlled !== undefined) return controlled;
    throw new SobreError(
      "InvalidOperation",
      "Control is not enabled for this namespace. Start the server with --control, or with the option control.",
    );
  }

  /** Moves virtual time forward; resolves when everything due by then has happened. @throws SobreError `InvalidOperation`. */
  async advance(milliseconds: number): Promise<void> {
    if (this.clock instanceof ManualClock) return this.clock.advance(milliseconds);
    throw new SobreError(
      "InvalidOperation",
      "The server runs on real time. Start it with --virtual-time, or with a ManualClock as its clock.",
    );
  }
}

/** Empties an entity, or all of a namespace. @throws SobreError `MessagingEntityNotFound`, `UnsupportedCapability`. */
export async function reset({ admin, name }: Engine, entity: string | undefined): Promise<void> {
  if (admin.clear === undefined)
    throw new SobreError("UnsupportedCapability", `The engine ${name} cannot be reset. Delete its messages instead.`);
  const entities = entity === undefined ? [...(await admin.listQueues()), ...(await admin.listTopics())] : [entity];
  for (const one of entities) await admin.clear(one);
}
