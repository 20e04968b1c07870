import type { Access, Grant, Right } from "./access.ts";
import type { Engine } from "../../core/engine/engine.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { digest, equal, readSas } from "../../wire/http/sas.ts";
import { trimSlashes } from "./path.ts";
import { scopeOf } from "./resource-scope.ts";
import { isLoopback } from "./host-names.ts";

/** The name of the initial key of every namespace. */
export const rootKeyName = "RootManageSharedAccessKey";

/** The well-known key of the official emulator, which is valid if no keys are configured. */
export const wellKnownKey = "SAS_KEY_VALUE";

const everyRight: readonly Right[] = ["Send", "Listen", "Manage"];

/** A shared access key and its rights. */
export interface SharedAccessKey {
  readonly key: string;
  /** Default: all. */
  readonly rights?: readonly Right[] | undefined;
}

/** Shared access keys by name; a plain string is a key with all rights. */
export type SharedAccessKeys = Readonly<Record<string, string | SharedAccessKey>>;

/** The rights that an access token gives, as its verifier found them. */
export interface TokenClaims {
  readonly rights: readonly Right[];
  /** The entity that the token is for, with everything below it. Default: all. */
  readonly entity?: string | undefined;
  /**
   * Whoever it was issued to, e.g. the claim `sub`: another token of the same subject takes over their links and settles
   * what they received over HTTP. Default: nobody but the holder of this very token does.
   */
  readonly subject?: string | undefined;
  /** When it ends. */
  readonly expiresAt: Date;
}

/** Where an access token is used. */
export interface TokenUse {
  /** The name of the namespace, as it was created; empty for the server's own. */
  readonly namespace: string;
}

/**
 * Verifies an access token for a namespace: its signature, issuer, audience and lifetime, and whether it is for that
 * namespace. A rejection refuses the token.
 */
export type TokenVerifier = (token: string, use: TokenUse) => Promise<TokenClaims>;

/** The namespaces for which access tokens are verified: the server's own, or every one. */
export type TokenNamespaces = "main" | "all";

/** How access tokens are verified. */
interface TokenRules {
  /** Default: no access tokens are taken. */
  readonly verifyToken?: TokenVerifier | undefined;
  /** Default: `main`. */
  readonly tokenNamespaces?: TokenNamespaces | undefined;
  /** Whether a name without a port is one of the server's hosts. Default: whether it is this machine's. */
  readonly isHost?: ((name: string) => boolean) | undefined;
}

/** A namespace with its own entities and keys. */
export interface KeyedNamespace {
  readonly name: string;
  readonly engine: Engine;
  /** Keys by name; if `undefined`, clients connect with the well-known key under any name, or without a key. */
  readonly keys: SharedAccessKeys | undefined;
}

/** The namespaces of a server, selected by a client's key name or host name. */
export class Namespaces implements Access {
  readonly #main: KeyedNamespace;
  readonly #rules: TokenRules;
  readonly #byName = new Map<string, KeyedNamespace>();

  constructor(main: KeyedNamespace, rules: TokenRules = {}) {
    this.#main = main;
    this.#rules = rules;
  }

  add(namespace: KeyedNamespace): void {
    this.#byName.set(namespace.name.toLowerCase(), namespace);
  }

  remove(name: string): void {
    this.#byName.delete(name.toLowerCase());
  }

  names(): readonly string[] {
    return Array.from(this.#byName.values(), ({ name }) => name);
  }

  /** Whether a namespace has no keys: its key is known to everybody, under any host name. */
  get someKeyless(): boolean {
    return [this.#main, ...this.#byName.values()].some(({ keys }) => keys === undefined);
  }

  find(name: string): KeyedNamespace | undefined {
    return this.#byName.get(name.toLowerCase());
  }

  anonymous(hostname: string | undefined): Grant | undefined {
    const { name: namespace, engine, keys } = this.#choose("", hostname);
    return keys === undefined ? { engine, namespace, scope: "", rights: everyRight, expiresAt: Infinity } : undefined;
  }

  password(keyName: string, key: string, hostname: string | undefined): Grant | undefined {
    const { name: namespace, engine, keys } = this.#choose(keyName, hostname);
    const wanted = keyOf(keys, keyName);
    if (wanted === undefined || !equal(key, wanted.key)) return undefined;
    const owner = ownerIn(namespace, "key", keyName);
    return { engine, namespace, scope: "", rights: wanted.rights ?? everyRight, keyName, owner, expiresAt: Infinity };
  }

  async token(token: string, hostname: string | undefined): Promise<Grant> {
    const { verifyToken } = this.#rules;
    if (verifyToken !== undefined && !token.startsWith("SharedAccessSignature "))
      return this.#claimed(token, verifyToken, hostname);
    const sas = readSas(token);
    const { keyName, expiresAt } = sas;
    const { name: namespace, engine, keys } = this.#choose(keyName, hostname);
    const key = keyOf(keys, keyName);
    // One text for both, so that key names cannot be probed.
    if (key === undefined || !sas.signedWith(key.key))
      throw unauthorized("The key name or the signature of the token is wrong. Check the connection string.");
    if (expiresAt <= Date.now()) throw unauthorized("The token has expired. Sign a new one, and check the clocks.");
    const scope = scopeOf(sas.resource, this.#rules.isHost ?? isLoopback);
    const owner = ownerIn(namespace, "key", keyName);
    return { engine, namespace, scope, rights: key.rights ?? everyRight, keyName, owner, expiresAt };
  }

  async #claimed(token: string, verify: TokenVerifier, hostname: string | undefined): Promise<Grant> {
    const chosen = this.#choose("", hostname);
    const { engine, name: namespace } = chosen;
    if (chosen !== this.#main && this.#rules.tokenNamespaces !== "all")
      throw unauthorized(`The namespace ${namespace} takes no access tokens. Connect with a key of that namespace.`);
    const { rights, entity = "", subject, expiresAt } = await claimsOf(token, verify, { namespace });
    const owner =
      subject === undefined ? ownerIn(namespace, "token", digest(token)) : ownerIn(namespace, "subject", subject);
    const scope = trimSlashes(entity).toLowerCase();
    return { engine, namespace, scope, rights, subject, owner, expiresAt: expiresAt.getTime() };
  }

  #choose(keyName: string, hostname: string | undefined): KeyedNamespace {
    const [label = ""] = (hostname ?? "").split(".");
    return this.find(keyName) ?? this.find(label) ?? this.#main;
  }
}

/** The name of an owner, which no key, subject or token of another kind or namespace has. */
const ownerIn = (namespace: string, kind: "key" | "subject" | "token", name: string): string =>
  `${namespace.toLowerCase()} ${kind} ${name}`;

/** The longest access token, in characters. */
const maxTokenLength = 8192;

/** The claims of a token. @throws SobreError `UnauthorizedAccess`, without the token and without the verifier's words. */
async function claimsOf(token: string, verify: TokenVerifier, use: TokenUse): Promise<TokenClaims> {
  if (token.length > maxTokenLength) throw unauthorized(`A token has at most ${maxTokenLength} characters.`);
  const claims = await verify(token.replace(/^Bearer +/i, ""), use).catch((error: unknown) => {
    throw unauthorized("The access token was rejected. Check its issuer, audience, signature and lifetime.", error);
  });
  if (!(claims.expiresAt.getTime() > Date.now())) throw unauthorized("The access token has expired. Get a new one.");
  return claims;
}

const unauthorized = (what: string, cause?: unknown): SobreError =>
  new SobreError("UnauthorizedAccess", what, { cause });

function keyOf(keys: KeyedNamespace["keys"], name: string): SharedAccessKey | undefined {
  if (keys === undefined) return { key: wellKnownKey };
  const found = Object.hasOwn(keys, name) ? keys[name] : undefined;
  return typeof found === "string" ? { key: found } : found;
}
