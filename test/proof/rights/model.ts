import type { Right } from "../../../src/serve/server/index.ts";

// The rights of a server's clients, as its documentation promises them and without anything of its code.

/** The ways into a server. */
export type Border =
  | "AMQP PLAIN"
  | "AMQP $cbs"
  | "WebSocket"
  | "HTTP"
  | "HTTP administration"
  | "control API"
  | "inspector API";

interface Need {
  readonly right: Right;
  readonly on: "entity" | "other" | "namespace";
}

/** Something that a client may be allowed to do, and where. */
export interface Rule {
  readonly does: string;
  readonly borders: readonly Border[];
  /** The rights that it takes, each on what the word says. */
  readonly needs: readonly [Need, Need?];
  /** Whether only credentials of the server's own namespace count, wherever it is done. */
  readonly isOfServer?: boolean;
}

const messaging: readonly Border[] = ["AMQP PLAIN", "AMQP $cbs", "WebSocket"];

/** Everything that a client may ask for. */
export type Operation =
  | "send"
  | "schedule"
  | "transfer"
  | "receive"
  | "peek"
  | "read"
  | "create"
  | "forward"
  | "list"
  | "control"
  | "controlOthers"
  | "show"
  | "look"
  | "purge"
  | "import"
  | "redrive";

const send = { right: "Send", on: "entity" } as const;
const listen = { right: "Listen", on: "entity" } as const;
const manage = { right: "Manage", on: "entity" } as const;
const manageAll = { right: "Manage", on: "namespace" } as const;

/** The rule of each operation. */
export const rules: Readonly<Record<Operation, Rule>> = {
  send: { does: "send", borders: [...messaging, "HTTP"], needs: [send] },
  schedule: { does: "schedule messages, and cancel them", borders: messaging, needs: [send] },
  transfer: {
    does: "send through an entity to another one, as transactions do",
    borders: messaging,
    needs: [send, { right: "Send", on: "other" }],
  },
  receive: {
    does: "receive, from dead-letter queues, too, and settle",
    borders: [...messaging, "HTTP"],
    needs: [listen],
  },
  peek: {
    does: "peek, renew, read sessions, and change the rules of a subscription",
    borders: messaging,
    needs: [listen],
  },
  read: { does: "read the description of an entity", borders: ["HTTP administration"], needs: [manage] },
  create: { does: "create, update or delete an entity", borders: ["HTTP administration"], needs: [manage] },
  forward: {
    does: "let an entity forward to another one",
    borders: ["HTTP administration"],
    needs: [manage, { right: "Manage", on: "other" }],
  },
  list: { does: "list all entities", borders: ["HTTP administration"], needs: [manageAll] },
  control: { does: "steer the namespace in tests, with `control`", borders: ["control API"], needs: [manageAll] },
  controlOthers: {
    does: "create and drop namespaces, steer the others, and move time",
    borders: ["control API"],
    needs: [manageAll],
    isOfServer: true,
  },
  show: { does: "see an entity in the list", borders: ["inspector API"], needs: [manage] },
  look: { does: "read, search and export messages", borders: ["inspector API"], needs: [listen] },
  purge: { does: "delete messages", borders: ["inspector API"], needs: [listen] },
  import: { does: "import messages", borders: ["inspector API"], needs: [send] },
  redrive: {
    does: "send dead letters back, to their entity or another one",
    borders: ["inspector API"],
    needs: [listen, { right: "Send", on: "other" }],
  },
};

/** A namespace of a server: its name, and its keys with their rights; without keys, everybody may do everything. */
interface NamespaceModel {
  readonly name: string;
  readonly keys: Readonly<Record<string, readonly Right[]>> | undefined;
}

/** A server; the first of its namespaces is its own. */
export interface ServerModel {
  readonly namespaces: readonly [NamespaceModel, ...NamespaceModel[]];
  readonly tokenNamespaces: "main" | "all" | "none";
}

/** A credential of a client. */
export interface Credential {
  readonly kind: "none" | "key" | "token";
  /** The name of the key. */
  readonly keyName?: string;
  /** The namespace whose key it is, or for which the token was issued; `undefined` for the key that everybody knows. */
  readonly namespace?: string;
  /** The rights of the token. */
  readonly rights?: readonly Right[];
  /** The subject of the token. */
  readonly subject?: string;
  /** The entity that it is for; empty for all. */
  readonly scope: string;
  /** Whether nothing is wrong with it: signature, time, resource. */
  readonly genuine: boolean;
}

/** The rights that a credential gives. */
interface Given {
  readonly namespace: string;
  readonly scope: string;
  readonly rights: readonly Right[];
}

const all: readonly Right[] = ["Send", "Listen", "Manage"];

/** The namespace that a host name selects. */
function ofHost({ namespaces }: ServerModel, host: string): NamespaceModel {
  const [label] = host.toLowerCase().split(".");
  return namespaces.find(({ name }) => name !== "" && name === label) ?? namespaces[0];
}

/** The rights that a credential gives under a host name; `undefined` where it is refused. */
function given(server: ServerModel, credential: Credential, host: string): Given | undefined {
  const { kind, keyName = "", scope, genuine, rights = [], namespace } = credential;
  const hosted = ofHost(server, host);
  if (kind === "none")
    return hosted.keys === undefined ? { namespace: hosted.name, scope: "", rights: all } : undefined;
  if (!genuine) return undefined;
  if (kind === "token") {
    const isTaken = server.tokenNamespaces === "all" || (server.tokenNamespaces === "main" && hosted.name === "");
    return isTaken && hosted.name === namespace ? { namespace: hosted.name, scope, rights } : undefined;
  }
  // The name of a key that is a namespace's selects that one, under any host.
  const chosen = server.namespaces.find(({ name }) => name !== "" && name === keyName.toLowerCase()) ?? hosted;
  if (chosen.keys === undefined)
    return namespace === undefined ? { namespace: chosen.name, scope, rights: all } : undefined;
  const own = Object.hasOwn(chosen.keys, keyName) ? chosen.keys[keyName] : undefined;
  return own !== undefined && chosen.name === namespace ? { namespace: chosen.name, scope, rights: own } : undefined;
}

/** An operation on an entity, and on another one where it takes two. */
export interface Attempt {
  readonly operation: Operation;
  readonly entity: string;
  readonly other?: string;
}

/** How a client connects. */
export interface Way {
  readonly host: string;
  readonly border: Border;
}

/**
 * The namespace in which a client may do it, who has shown these credentials in this order; `undefined` where it may not.
 *
 * Over AMQP, the first credential that is taken binds the connection to its namespace; those of others count for nothing.
 */
export function allowedIn(
  server: ServerModel,
  credentials: readonly Credential[],
  { host, border }: Way,
  { operation, entity, other = "" }: Attempt,
): string | undefined {
  const isAmqp = messaging.includes(border);
  const shown = credentials
    .filter(({ kind }) => kind !== "none" || !isAmqp)
    .map((credential) => given(server, credential, host));
  // A wrong key ends the connection, and a wrong token the request; a wrong token over AMQP can be followed by another.
  if (border !== "AMQP $cbs" && border !== "WebSocket" && shown[0] === undefined) return undefined;
  // The rights of nobody give way to those of a credential for another namespace.
  const anonymous = isAmqp ? given(server, nobody, host) : undefined;
  const grants = [...shown, anonymous].filter((one) => one !== undefined);
  const [{ namespace } = { namespace: undefined }] = grants;
  const rule = rules[operation];
  const places = { entity, other, namespace: "" };
  const isGranted = rule.needs.every(
    (need) =>
      need === undefined ||
      grants.some((grant) => grant.namespace === namespace && covers(grant, places[need.on], need.right)),
  );
  return isGranted && (rule.isOfServer !== true || namespace === "") ? namespace : undefined;
}

/**
 * Whether a client takes over the link with which another one listens to an entity, by attaching one of that name to the
 * first of several entities that it may listen to.
 */
export function takesOver(
  server: ServerModel,
  [victim, thief]: readonly [Credential, Credential],
  way: Way,
  { entity, attached }: { readonly entity: string; readonly attached: readonly string[] },
): boolean {
  const place = (credential: Credential, where: string): string | undefined =>
    allowedIn(server, [credential], way, { operation: "receive", entity: where });
  const own = attached.find((one) => place(thief, one) !== undefined);
  const namespace = place(victim, entity);
  if (own === undefined || namespace === undefined || namespace !== place(thief, entity)) return false;
  return ownerOf(server, victim, way, entity) === ownerOf(server, thief, way, own);
}

/** Whoever listens to an entity: a key, a subject, or nobody in particular. */
function ownerOf(server: ServerModel, credential: Credential, { host }: Way, entity: string): string {
  const grant = given(server, credential, host);
  if (credential.kind === "none" || grant === undefined || !covers(grant, entity, "Listen")) return "nobody";
  return `${credential.kind} ${credential.keyName ?? credential.subject}`;
}

const nobody: Credential = { kind: "none", scope: "", genuine: true };

function covers({ scope, rights }: Given, path: string, right: Right): boolean {
  const isInside = scope === "" || path.toLowerCase() === scope || path.toLowerCase().startsWith(`${scope}/`);
  return isInside && (rights.includes(right) || rights.includes("Manage"));
}
