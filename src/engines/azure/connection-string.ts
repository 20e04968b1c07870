import { SobreError } from "../../errors/sobre-error.ts";
import { invalidOption } from "../../options/option-checks.ts";

/** Where a broker is, and how it is spoken to. */
export interface BrokerAddress {
  readonly host: string;
  /** `undefined`: the protocol's usual one. */
  readonly port: number | undefined;
  /** Whether TLS is spoken; not to a server that says `UseDevelopmentEmulator=true`. */
  readonly secure: boolean;
  /** Whether AMQP is spoken over WebSockets: `TransportType=AmqpWebSockets`. */
  readonly webSockets: boolean;
}

/** The parts of a connection string. */
export interface ConnectionSettings extends BrokerAddress {
  /** The key that tokens are signed with. */
  readonly key: { readonly name: string; readonly value: string } | undefined;
  /** A token that is shown as it is, instead of a key. */
  readonly sharedAccessSignature: string | undefined;
  /** The entity that the string is made for. */
  readonly entityPath: string | undefined;
}

/** The usual ports of AMQP, and of AMQP over TLS. */
export const ports = { amqp: 5672, amqps: 5671 } as const;

/** Where a namespace is reached. */
export function serverOf({ host, port, secure, webSockets }: BrokerAddress): {
  readonly address: string;
  readonly port: number;
} {
  const usual = secure ? (webSockets ? 443 : ports.amqps) : ports.amqp;
  return { address: host, port: port ?? usual };
}

const known = [
  "endpoint",
  "sharedaccesskeyname",
  "sharedaccesskey",
  "sharedaccesssignature",
  "entitypath",
  "usedevelopmentemulator",
  "transporttype",
] as const;

type Member = (typeof known)[number];

/**
 * Reads a connection string as the official clients take it; names are compared without case.
 *
 * @throws SobreError `InvalidArgument` naming the member that is missing or wrong; values are never repeated.
 */
export function parseConnectionString(text: string): ConnectionSettings {
  const members = membersOf(text);
  const endpoint = members.get("endpoint");
  if (endpoint === undefined) throw wrong("has no Endpoint");
  const { host, port } = endpointOf(endpoint) ?? {};
  if (host === undefined) throw wrong("has an Endpoint that is not sb://HOST or sb://HOST:PORT");
  const name = members.get("sharedaccesskeyname");
  const value = members.get("sharedaccesskey");
  const sharedAccessSignature = members.get("sharedaccesssignature");
  if ((name === undefined) !== (value === undefined))
    throw wrong(name === undefined ? "has no SharedAccessKeyName" : "has no SharedAccessKey");
  if (name === undefined && sharedAccessSignature === undefined)
    throw wrong("has neither SharedAccessKeyName and SharedAccessKey nor SharedAccessSignature");
  return {
    host,
    port,
    secure: oneOf(members, "usedevelopmentemulator", ["false", "true"]) !== "true",
    webSockets: oneOf(members, "transporttype", ["amqp", "amqptcp", "amqpwebsockets"]) === "amqpwebsockets",
    key: name === undefined || value === undefined ? undefined : { name, value },
    sharedAccessSignature,
    entityPath: members.get("entitypath")?.replaceAll(/^\/+|\/+$/g, "") || undefined,
  };
}

function membersOf(text: string): ReadonlyMap<Member, string> {
  if (typeof text !== "string" || text.trim() === "") throw wrong("is empty");
  const members = new Map<Member, string>();
  for (const part of text.trim().split(";")) {
    if (part.trim() === "") continue;
    const at = part.indexOf("=");
    const member = known.find((one) => one === part.slice(0, Math.max(at, 0)).trim().toLowerCase());
    // Unknown parts may be meant for other clients.
    if (member !== undefined && part.slice(at + 1).trim() !== "") members.set(member, part.slice(at + 1).trim());
  }
  return members;
}

/** A member that has one of a few values: another one would be taken for none of them. */
function oneOf(members: ReadonlyMap<Member, string>, member: Member, values: readonly string[]): string | undefined {
  const value = members.get(member)?.toLowerCase();
  if (value === undefined || values.includes(value)) return value;
  throw wrong(`has a ${spelt[member]} that is none of ${values.map((one) => spelt[one] ?? one).join(", ")}`);
}

const spelt: Readonly<Record<string, string>> = {
  usedevelopmentemulator: "UseDevelopmentEmulator",
  transporttype: "TransportType",
  amqp: "Amqp",
  amqptcp: "AmqpTcp",
  amqpwebsockets: "AmqpWebSockets",
};

/**
 * The address of a namespace that is named without a connection string; it speaks TLS, since a token opens what it is shown to.
 *
 * @throws SobreError `InvalidArgument`.
 */
export function parseNamespace(fullyQualifiedNamespace: string): BrokerAddress {
  const endpoint = endpointOf(`sb://${fullyQualifiedNamespace}`);
  if (endpoint === undefined)
    throw invalidOption(
      "fullyQualifiedNamespace",
      'must be the host of a namespace, e.g. "shop.servicebus.windows.net"',
    );
  return { ...endpoint, secure: true, webSockets: false };
}

function endpointOf(endpoint: string): Pick<BrokerAddress, "host" | "port"> | undefined {
  const [, host, digits] = /^[a-z][a-z0-9+.-]*:\/\/(\[[^\]]+\]|[^/:@?#\s]+)(?::(\d{1,5}))?\/?$/i.exec(endpoint) ?? [];
  const port = digits === undefined ? undefined : Number(digits);
  if (host === undefined || port === 0 || (port ?? 1) > 65_535) return undefined;
  return { host: host.replaceAll(/^\[|\]$/g, ""), port };
}

const wrong = (what: string): SobreError =>
  new SobreError(
    "InvalidArgument",
    `The connection string ${what}. It has the form Endpoint=sb://HOST;SharedAccessKeyName=NAME;SharedAccessKey=KEY.`,
    { path: "$.connectionString" },
  );
