import type { Engine } from "../../core/engine/engine.ts";

/** A right that a key or token grants. */
export type Right = "Send" | "Listen" | "Manage";

/** The rights that a key or token grants. */
export interface Grant {
  /** The namespace's engine. */
  readonly engine: Engine;
  /** The name of the namespace. Default: empty, for the server's own. */
  readonly namespace?: string | undefined;
  /**
   * The path that it covers, including everything below, in lower case without leading or trailing slashes; empty: all.
   */
  readonly scope: string;
  readonly rights: readonly Right[];
  /** The name of the signing key; `undefined` if there is none. */
  readonly keyName?: string | undefined;
  /** The subject of the access token, as its verifier names it; `undefined` if there is none. */
  readonly subject?: string | undefined;
  /**
   * Tells apart the holders of grants: only a grant of the same owner takes over a link, or settles over HTTP. Default: the
   * name of the key.
   */
  readonly owner?: string | undefined;
  /** Milliseconds since 1970; `Infinity` for never. */
  readonly expiresAt: number;
}

/** Decides what a client may do, and in which namespace. */
export interface Access {
  /** The grant of a client without credentials; `undefined` if it has none. */
  anonymous(hostname: string | undefined): Grant | undefined;
  /** The grant of a key that is given as a password; `undefined` if it is wrong. */
  password(keyName: string, key: string, hostname: string | undefined): Grant | undefined;
  /** @throws SobreError `UnauthorizedAccess`. */
  token(token: string, hostname: string | undefined): Promise<Grant>;
}

/** The owner of a grant. */
export const ownerOf = ({ owner, keyName = "" }: Grant): string => owner ?? keyName;

/** Whether a grant currently includes the right on the entity. */
export function allows(grant: Grant, entity: string, right: Right): boolean {
  const path = entity.toLowerCase();
  const inScope = grant.scope === "" || path === grant.scope || path.startsWith(`${grant.scope}/`);
  return inScope && grant.expiresAt > Date.now() && (grant.rights.includes(right) || grant.rights.includes("Manage"));
}
