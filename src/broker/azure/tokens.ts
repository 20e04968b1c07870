import { SobreError } from "../../core/errors/sobre-error.ts";
import { writeSas } from "../../wire/http/sas.ts";
import type { ConnectionSettings } from "./connection-string.ts";

/**
 * A source of access tokens, such as `DefaultAzureCredential` of `@azure/identity`; the interface is that of
 * `@azure/core-auth`.
 */
export interface TokenCredential {
  /** A token for these scopes; `null` if there is none. */
  getToken(scopes: string | string[]): Promise<{
    readonly token: string;
    /** Milliseconds since 1970. */
    readonly expiresOnTimestamp: number;
  } | null>;
}

/** A token as a broker gets it. */
interface BrokerToken {
  readonly token: string;
  /** The `type` of a put-token request. */
  readonly type: "servicebus.windows.net:sastoken" | "jwt";
  /** The `Authorization` header of a request. */
  readonly header: string;
  /** When to renew it, in milliseconds since 1970; `undefined` if it cannot be renewed. */
  readonly renewAt: number | undefined;
}

/** Returns a token for an audience. @throws SobreError `UnauthorizedAccess` if there is none. */
export type TokenSource = (audience: string, now: number) => Promise<BrokerToken>;

/** Milliseconds that a signed token holds. */
const tokenLife = 3_600_000;

/** Milliseconds after which it is replaced by a new one, well before it ends. */
const renewAfter = 2_700_000;

/** Milliseconds before its end at which a fetched token is replaced; at half of the time that is left when that is sooner. */
const leadTime = 300_000;

/** The scope that the official clients ask for. */
const scope = "https://servicebus.azure.net/.default";

/** Tokens signed with the key of a connection string, or its ready-made signature. */
export function signedTokens({
  key,
  sharedAccessSignature = "",
}: Pick<ConnectionSettings, "key" | "sharedAccessSignature">): TokenSource {
  return async (audience, now) =>
    key === undefined
      ? sas(sharedAccessSignature, undefined)
      : sas(writeSas(audience, key, now + tokenLife), now + renewAfter);
}

const sas = (token: string, renewAt: number | undefined): BrokerToken => ({
  token,
  type: "servicebus.windows.net:sastoken",
  header: token,
  renewAt,
});

/** Tokens of a credential: one for all audiences, renewed shortly before it expires. */
export function credentialTokens(credential: TokenCredential): TokenSource {
  let current: Promise<BrokerToken> | undefined;
  let renewAt = -Infinity;
  return (_audience, now) => {
    if (current !== undefined && now < renewAt) return current;
    const fetched = fetchToken(credential, now);
    current = fetched;
    // Everybody who asks meanwhile waits for the same answer.
    renewAt = Infinity;
    fetched.then(
      (token) => (renewAt = token.renewAt ?? Infinity),
      () => (renewAt = -Infinity),
    );
    return fetched;
  };
}

async function fetchToken(credential: TokenCredential, now: number): Promise<BrokerToken> {
  const fetched = await credential.getToken(scope).catch((error: unknown) => {
    throw new SobreError(
      "UnauthorizedAccess",
      "The credential could not get a token. See the cause, and check its identity.",
      { cause: error },
    );
  });
  if (typeof fetched?.token !== "string" || typeof fetched.expiresOnTimestamp !== "number")
    throw new SobreError("UnauthorizedAccess", `The credential returned no token for ${scope}. Check its identity.`);
  const { token, expiresOnTimestamp: end } = fetched;
  if (end <= now)
    throw new SobreError(
      "UnauthorizedAccess",
      "The credential's token is already expired. Check the clock of this machine.",
    );
  const renewAt = Math.max(end - leadTime, now + (end - now) / 2);
  return { token, type: "jwt", header: `Bearer ${token}`, renewAt };
}
