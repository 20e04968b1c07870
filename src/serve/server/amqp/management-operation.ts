import type { Engine, Transaction } from "../../../core/engine/engine.ts";
import type { AmqpValue } from "../../../core/values/typed.ts";
import type { Connection } from "../../../wire/amqp/connection/connection.ts";
import type { Right } from "../access.ts";
import type { LinkSession } from "./link-session.ts";
import type { NamespaceSessions } from "./shared-sessions.ts";
import type { RequestArguments } from "./request-arguments.ts";

/** The context of requests to the `$management` node of an entity. */
export interface ManagementContext {
  readonly entity: string;
  readonly engine: Engine;
  readonly sessions: ReadonlyMap<string, LinkSession>;
  /** The sessions of the namespace that are not exclusive. */
  readonly shared: NamespaceSessions;
  /** The name of the link that the request belongs to. */
  readonly associatedLink?: string | undefined;
  readonly connection: Pick<Connection, "errorOf">;
  /** @throws SobreError `UnauthorizedAccess` unless the client has the right on the entity. */
  readonly need: (right: Right) => void;
  /** The transaction that the request is a part of. */
  readonly transaction?: Transaction | undefined;
}

/** Carries out an operation; resolves to the body of the answer, or `undefined` for one that found nothing. */
export type ManagementOperation = (
  given: RequestArguments,
  context: ManagementContext,
) => Promise<Readonly<Record<string, AmqpValue>> | undefined>;
