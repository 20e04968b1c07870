import { SobreError } from "../../core/errors/sobre-error.ts";
import { invalidOption } from "../../core/options/option-checks.ts";

/** The address and protocol of a broker. */
export interface BrokerAddress {
  readonly host: string;
  /** `undefined` for the protocol's default. */
  readonly port: number | undefined;
  /** Whether to use TLS; false with `UseDevelopmentEmulator=true`. */
  readonly secure: boolean;
  /** Whether to use AMQP over WebSockets: `TransportType=AmqpWebSockets`. */
  readonly webSockets: boolean;
}

/** The parts of a connection string. */
export interface ConnectionSettings extends BrokerAddress {
  /** The key for signing tokens. */
  readonly key: { readonly name: string; readonly value: string } | undefined;
  /** A ready-made token instead of a key. */
  readonly sharedAccessSignature: string | undefined;
  /** The entity to which the connection string is limited. */
  readonly entityPath: string | undefined;
}

/** The default ports of AMQP, and of AMQP over TLS. */
export const ports = { amqp: 5672, amqps: 5671 } as const;

/** The network address of a namespace. */
export function serverOf({ host, port, secure, webSockets }: BrokerAddress): {
  readonly address: string;
  readonly port: number;
} {
  const usual = secure ? (webSockets ? 443 : ports.amqps) : ports.amqp;
  return { address: host, port: port ?? usual };
}

const knownKeys = [
  "endpoint",
  "sharedaccesskeyname",
  "sharedaccesskey",
  "sharedaccesssignature",
  "entitypath",
  "usedevelopmentemulator",
  "transporttype",
] as const;

type ConnectionStringMember = (typeof knownKeys)[number];

/**
 * Parses a connection string like the official clients; names are case-insensitive.
 *
 * @throws SobreError `InvalidArgument` naming the missing or invalid part; values are never repeated.
 */
export function parseConnectionString(text: string): ConnectionSettings {
  const members = membersOf(text);
  const endpoint = members.get("endpoint");
  if (endpoint === undefined) throw invalidConnectionString("has no Endpoint");
  const { host, port } = endpointOf(endpoint) ?? {};
  if (host === undefined) throw invalidConnectionString("has an Endpoint that is not sb://HOST or sb://HOST:PORT");
  const name = members.get("sharedaccesskeyname");
  const value = members.get("sharedaccesskey");
  const sharedAccessSignature = members.get("sharedaccesssignature");
  if ((name === undefined) !== (value === undefined))
    throw invalidConnectionString(name === undefined ? "has no SharedAccessKeyName" : "has no SharedAccessKey");
  if (name === undefined && sharedAccessSignature === undefined)
    throw invalidConnectionString("has neither SharedAccessKeyName and SharedAccessKey nor SharedAccessSignature");
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

function membersOf(text: string): ReadonlyMap<ConnectionStringMember, string> {
  if (typeof text !== "string" || text.trim() === "") throw invalidConnectionString("is empty");
  const members = new Map<ConnectionStringMember, string>();
  for (const part of text.trim().split(";")) {
    if (part.trim() === "") continue;
    const at = part.indexOf("=");
    const member = knownKeys.find((one) => one === part.slice(0, Math.max(at, 0)).trim().toLowerCase());
    // Unknown parts may be meant for other clients.
    if (member !== undefined && part.slice(at + 1).trim() !== "") members.set(member, part.slice(at + 1).trim());
  }
  return members;
}

/** A member with a fixed set of values; any other would be silently ignored. */
function oneOf(
  members: ReadonlyMap<ConnectionStringMember, string>,
  member: ConnectionStringMember,
  values: readonly string[],
): string | undefined {
  const value = members.get(member)?.toLowerCase();
  if (value === undefined || values.includes(value)) return value;
  throw invalidConnectionString(
    `has a ${spelt[member]} that is not one of ${values.map((one) => spelt[one] ?? one).join(", ")}`,
  );
}

const spelt: Readonly<Record<string, string>> = {
  usedevelopmentemulator: "UseDevelopmentEmulator",
  transporttype: "TransportType",
  amqp: "Amqp",
  amqptcp: "AmqpTcp",
  amqpwebsockets: "AmqpWebSockets",
};

/**
 * The address of a namespace given without a connection string; always with TLS, since tokens are secret.
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

const invalidConnectionString = (what: string): SobreError =>
  new SobreError(
    "InvalidArgument",
    `The connection string ${what}. It has the form Endpoint=sb://HOST;SharedAccessKeyName=NAME;SharedAccessKey=KEY.`,
    { path: "$.connectionString" },
  );
