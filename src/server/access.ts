import type { Engine } from "../engine/engine.ts";

/** A right that a key or token grants. */
export type Right = "Send" | "Listen" | "Manage";

/** The rights that a key or token grants. */
export interface Grant {
  /** The namespace's engine. */
  readonly engine: Engine;
  /** The path that it holds for, with everything below, in lower case without slashes at its ends; empty: all. */
  readonly scope: string;
  readonly rights: readonly Right[];
  /** The name of the key that signed it; `undefined`: none did. */
  readonly keyName?: string | undefined;
  /** Milliseconds since 1970; `Infinity`: never. */
  readonly expiresAt: number;
}

/** Decides who may do what, and in which namespace. */
export interface Access {
  /** The grant of a client that shows nothing; `undefined`: it has none. */
  anonymous(hostname: string | undefined): Grant | undefined;
  /** The grant of a key given as a password; `undefined`: wrong. */
  password(keyName: string, key: string, hostname: string | undefined): Grant | undefined;
  /** @throws SobreError `UnauthorizedAccess`. */
  token(token: string, hostname: string | undefined): Promise<Grant>;
}

/** Whether a grant lets its holder do that on the entity now. */
export function allows(grant: Grant, entity: string, right: Right): boolean {
  const path = entity.toLowerCase();
  const inScope = grant.scope === "" || path === grant.scope || path.startsWith(`${grant.scope}/`);
  return inScope && grant.expiresAt > Date.now() && (grant.rights.includes(right) || grant.rights.includes("Manage"));
}
