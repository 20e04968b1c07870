import { json } from "../../../codecs/json/index.ts";
import { createSerializer } from "../../../src/core/codec/index.ts";
import type { Engine } from "../../../src/core/engine/index.ts";
import { createEnvelope } from "../../../src/core/envelope/index.ts";
import { writeSas } from "../../../src/wire/http/index.ts";
import { createInspector } from "../../../src/serve/inspector/index.ts";
import {
  type Right,
  type Server,
  startServer,
  type TokenClaims,
  type TokenVerifier,
} from "../../../src/serve/server/index.ts";
import type { Credential, ServerModel } from "./model.ts";

/** A credential, and what is shown for it. */
export interface Shown {
  readonly name: string;
  readonly credential: Credential;
  /** `undefined`: nothing. */
  readonly token?: string;
  /** The key, where it can be shown as a password. */
  readonly plain?: { readonly name: string; readonly key: string };
}

/** A running server with its model, and every credential to try. */
export interface World {
  readonly name: string;
  readonly model: ServerModel;
  readonly server: Server;
  readonly engines: ReadonlyMap<string, Engine>;
  readonly credentials: readonly Shown[];
}

/** The entities of each namespace; every name is in all of them. */
const queues = ["a", "a/next", "b", "ab"];
const subscription = "t/Subscriptions/s";

/** The id of a message that was there from the beginning. */
export const seedId = (namespace: string): string => `seed of ${namespace}`;

/** The dead letters of each entity, by which namespaces are told apart. */
export const deadLetters: Readonly<Record<string, number>> = { "": 1, tenant: 2, free: 3 };

const all: readonly Right[] = ["Send", "Listen", "Manage"];
const mainKeys = { root: all, reader: ["Listen"], sender: ["Send"], two: ["Send", "Listen"] } as const;
const tenantKeys = { tenant: all, reader: ["Send"], listener: ["Listen"] } as const;

/** The servers to try: with keys, with access tokens for every namespace, and one that is open except for a namespace. */
export const models: Readonly<Record<string, ServerModel>> = {
  keyed: {
    namespaces: [
      { name: "", keys: mainKeys },
      { name: "tenant", keys: tenantKeys },
    ],
    tokenNamespaces: "main",
  },
  tokens: {
    namespaces: [
      { name: "", keys: mainKeys },
      { name: "tenant", keys: tenantKeys },
    ],
    tokenNamespaces: "all",
  },
  open: {
    namespaces: [
      { name: "", keys: undefined },
      { name: "tenant", keys: tenantKeys },
      { name: "free", keys: undefined },
    ],
    tokenNamespaces: "none",
  },
};

/** @param seeds Messages of each entity to receive. */
export async function startWorld(name: string, model: ServerModel, seeds: number): Promise<World> {
  const [main, ...others] = model.namespaces;
  const entities = { queues, topics: { t: { subscriptions: ["s"] } } };
  const serializer = createSerializer({ codecs: [json()] });
  const inspector = createInspector({ serializer, changes: true });
  const { tokenNamespaces } = model;
  const access = tokenNamespaces === "none" ? {} : { verifyToken, tokenNamespaces };
  const keys = keysOf(main.keys, "");
  const server = await startServer({ ...entities, ...access, keys, control: true, httpHandler: inspector });
  const engines = new Map([["", server.engine]]);
  for (const one of others)
    engines.set(one.name, server.namespace(one.name, { ...entities, keys: keysOf(one.keys, one.name) }).engine);
  for (const [namespace, engine] of engines) await seed(engine, namespace, seeds);
  return { name, model, server, engines, credentials: credentialsOf(model) };
}

async function seed(engine: Engine, namespace: string, seeds: number): Promise<void> {
  const letter = createEnvelope({ payload: Uint8Array.of(49), brokerProperties: { messageId: seedId(namespace) } });
  for (const queue of queues) {
    const sender = await engine.openSender(queue);
    const count = deadLetters[namespace] ?? 0;
    await sender.send(Array.from({ length: count }, () => letter));
    const receiver = await engine.openReceiver(queue, { receiveMode: "peekLock" });
    for (const { lockToken } of await receiver.receive({ maxMessages: count, maxWaitTimeInMs: 0 }))
      if (lockToken !== undefined) await engine.settle(queue, lockToken, { kind: "deadLetter" });
    await receiver.close();
  }
  for (const entity of [...queues, "t"])
    await (await engine.openSender(entity)).send(Array.from({ length: seeds }, () => letter));
}

/** Ids of the messages that came since, by where they are. */
export async function arrivalsIn(engine: Engine): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const entity of [...queues, subscription]) {
    let from = 0n;
    for (;;) {
      const page = await engine.peek(entity, { maxMessages: 1000, fromSequenceNumber: from });
      const last = page.at(-1);
      if (last === undefined) break;
      for (const { envelope } of page) found.add(String(envelope.brokerProperties.messageId));
      from = last.sequenceNumber + 1n;
    }
  }
  return found;
}

/** An access token is its own claims, as JSON. */
const verifyToken: TokenVerifier = async (token, { namespace }): Promise<TokenClaims> => {
  const claims: unknown = JSON.parse(token);
  if (!isClaims(claims) || claims.namespace !== namespace) throw new Error("It is for another namespace.");
  return { ...claims, expiresAt: new Date(claims.expiresAt) };
};

interface Claims {
  readonly namespace: string;
  readonly rights: readonly Right[];
  readonly subject: string;
  readonly entity: string;
  readonly expiresAt: number;
}

const isClaims = (value: unknown): value is Claims => typeof value === "object" && value !== null && "rights" in value;

const secretOf = (namespace: string, name: string): string => `${namespace}/${name}'s secret`;

function keysOf(
  keys: Readonly<Record<string, readonly Right[]>> | undefined,
  namespace: string,
): Record<string, { readonly key: string; readonly rights: readonly Right[] }> | undefined {
  if (keys === undefined) return undefined;
  return Object.fromEntries(
    Object.entries(keys).map(([name, rights]) => [name, { key: secretOf(namespace, name), rights }]),
  );
}

const hour = 3_600_000;

const sas = (name: string, value: string, scope: string, { host = "sb://localhost/", life = hour } = {}): string =>
  writeSas(`${host}${scope}`, { name, value }, Date.now() + life);

const scopes = ["", "a", "b", "t"] as const;

function credentialsOf({ namespaces, tokenNamespaces }: ServerModel): readonly Shown[] {
  const keyed = namespaces.flatMap(({ name: namespace, keys = {} }) =>
    Object.keys(keys).map((keyName) => ({ namespace, keyName, key: secretOf(namespace, keyName) })),
  );
  const kind = "key" as const;
  const known = "SAS_KEY_VALUE";
  return [
    { name: "nothing", credential: { kind: "none", scope: "", genuine: true } },
    ...keyed.flatMap(({ namespace, keyName, key }): readonly Shown[] =>
      scopes.map((scope) => ({
        name: `the key ${keyName} of "${namespace}" for "${scope}"`,
        credential: { kind, keyName, namespace, scope, genuine: true },
        token: sas(keyName, key, scope),
        ...(scope === "" && { plain: { name: keyName, key } }),
      })),
    ),
    ...keyed
      .slice(0, 1)
      .concat(keyed.slice(-1))
      .flatMap(({ namespace, keyName, key }): readonly Shown[] => {
        const credential = { kind, keyName, namespace, scope: "a", genuine: false };
        return [
          { name: `an old ${keyName}`, credential, token: sas(keyName, key, "a", { life: -hour }) },
          {
            name: `a forged ${keyName}`,
            credential,
            token: sas(keyName, "guessed", "a"),
            plain: { name: keyName, key: "guessed" },
          },
          { name: `a hostless ${keyName}`, credential, token: sas(keyName, key, "a", { host: "" }) },
        ];
      }),
    ...["root", "free", "tenant"].map((keyName): Shown => ({
      name: `the well-known key as ${keyName}`,
      credential: { kind, keyName, scope: "", genuine: true },
      token: sas(keyName, known, ""),
      plain: { name: keyName, key: known },
    })),
    ...(tokenNamespaces === "none" ? [] : tokensOf(namespaces.map(({ name }) => name))),
  ];
}

function tokensOf(namespaces: readonly string[]): readonly Shown[] {
  const rights: readonly (readonly Right[])[] = [["Listen"], ["Send"], ["Manage"]];
  return namespaces.flatMap((namespace) =>
    rights.flatMap((some) =>
      ["", "a"].flatMap((entity) =>
        [hour, -hour].map((life): Shown => ({
          name: `${life < 0 ? "an old" : "a"} token for ${some.join()} on "${entity}" of "${namespace}"`,
          credential: {
            kind: "token",
            namespace,
            rights: some,
            subject: some.join(),
            scope: entity,
            genuine: life > 0,
          },
          token: JSON.stringify({
            namespace,
            rights: some,
            subject: some.join(),
            entity,
            expiresAt: Date.now() + life,
          }),
        })),
      ),
    ),
  );
}
