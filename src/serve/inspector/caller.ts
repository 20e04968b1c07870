import type { Engine } from "../../core/engine/engine.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { allows, type Grant, type Right } from "../server/access.ts";

/** Whoever asks, with the rights of their own key. */
export interface Caller {
  readonly engine: Engine;
  /** The name of the key, or the subject of the access token; `null` without either. */
  readonly name: string | null;
  /** Whether their namespace is the server's own: the others share neither its brokers nor its records. */
  readonly isOfServer: boolean;
  can(entity: string, right: Right): boolean;
}

export const callerOf = (grant: Grant): Caller => ({
  engine: grant.engine,
  name: grant.keyName ?? grant.subject ?? null,
  isOfServer: (grant.namespace ?? "") === "",
  can: (entity, right) => allows(grant, entity, right),
});

/** @throws SobreError `UnauthorizedAccess`. */
export function requireRight(caller: Caller, entity: string, right: Right): void {
  if (caller.can(entity, right)) return;
  throw new SobreError("UnauthorizedAccess", `The connection string does not grant ${right} on ${entity}.`);
}
