import type { CorrelationFilter } from "../../engine/rules.ts";
import type { ApplicationPropertyValue } from "../../envelope/application-properties.ts";
import type { Envelope } from "../../envelope/envelope.ts";
import { Typed } from "../../values/typed.ts";
import { SobreError } from "../../errors/sobre-error.ts";

/** A property and the value it must have, both in comparable text. */
export interface IndexKey {
  readonly property: string;
  readonly value: string;
}

const brokerNames = [
  "correlationId",
  "messageId",
  "sessionId",
  "subject",
  "to",
  "replyTo",
  "replyToSessionId",
  "contentType",
] as const;

type BrokerName = (typeof brokerNames)[number];

/**
 * Reads a correlation filter: every member given must be equal, text with case, application properties by kind too.
 *
 * @throws SobreError `InvalidArgument` when nothing is given.
 */
export function correlation(filter: CorrelationFilter): {
  readonly indexKey: IndexKey | undefined;
  matches(envelope: Envelope): boolean;
} {
  const wanted: IndexKey[] = [];
  for (const name of brokerNames) {
    const value = filter[name];
    if (value !== undefined) wanted.push({ property: brokerKey(name), value: comparable(value) });
  }
  for (const [name, value] of Object.entries(filter.applicationProperties ?? {}))
    wanted.push({ property: applicationKey(name), value: comparable(value) });
  if (wanted.length === 0) throw new SobreError("InvalidArgument", "A correlation filter needs at least one property.");
  return {
    indexKey: wanted[0],
    matches: (envelope) => wanted.every(({ property, value }) => valueOf(envelope, property) === value),
  };
}

const brokerKey = (name: BrokerName): string => `sys.${name}`;
const applicationKey = (name: string): string => `user.${name}`;

/** The value of an indexed property of a message in comparable text. */
export function valueOf({ brokerProperties, applicationProperties }: Envelope, property: string): string | undefined {
  const name = property.slice(property.indexOf(".") + 1);
  const value = property.startsWith("user.") ? applicationProperties[name] : brokerProperties[brokerName(name)];
  return value === undefined ? undefined : comparable(value);
}

function brokerName(name: string): BrokerName {
  return brokerNames.find((candidate) => candidate === name) ?? "messageId";
}

/** Text that is equal for equal values of one kind: integers of any width are one kind, floating-point numbers another. */
function comparable(value: ApplicationPropertyValue): string {
  if (typeof value === "string") return `text ${value}`;
  if (typeof value === "bigint") return `whole ${value}`;
  if (typeof value === "number") return Number.isInteger(value) ? `whole ${value}` : `real ${value}`;
  if (value instanceof Date) return `time ${value.getTime()}`;
  if (value instanceof Uint8Array) return `bytes ${value.join(" ")}`;
  if (value instanceof Typed) return comparableTyped(value);
  return `${value}`;
}

function comparableTyped({ type, value }: Typed): string {
  if (value instanceof Uint8Array) return `${type} ${value.join(" ")}`;
  if (typeof value === "object") return type;
  if (type === "float" || type === "double") return `real ${value}`;
  if (type === "timestamp") return `time ${value}`;
  return typeof value === "string" ? `${type} ${value}` : `whole ${value}`;
}
