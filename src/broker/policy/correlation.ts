import { type CorrelationFilter, correlationProperties } from "../../core/engine/rules.ts";
import type { ApplicationPropertyValue } from "../../core/envelope/application-properties.ts";
import type { Envelope } from "../../core/envelope/envelope.ts";
import type { RuleSubject } from "./sql/effort.ts";
import { Typed } from "../../core/values/typed.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";

/** A property and its required value, in comparable text. */
export interface IndexKey {
  readonly property: string;
  readonly value: string;
  /** Reads the property of a message in comparable text. */
  readonly read: (envelope: Envelope) => string | undefined;
}

/**
 * Reads a correlation filter: every member given must be equal; text is case-sensitive, and application properties must also be of the same kind.
 *
 * @throws SobreError `InvalidArgument` when nothing is given.
 */
export function correlation(filter: CorrelationFilter): {
  readonly indexKey: IndexKey | undefined;
  matches(subject: Pick<RuleSubject, "envelope">): boolean;
} {
  const wanted: IndexKey[] = [];
  for (const name of correlationProperties) {
    const value = filter[name];
    if (value === undefined) continue;
    const read = ({ brokerProperties }: Envelope): string | undefined => comparable(brokerProperties[name]);
    wanted.push({ property: `sys.${name}`, value: comparable(value), read });
  }
  for (const [name, value] of Object.entries(filter.applicationProperties ?? {})) {
    const read = ({ applicationProperties }: Envelope): string | undefined => comparable(applicationProperties[name]);
    wanted.push({ property: `user.${name}`, value: comparable(value), read });
  }
  if (wanted.length === 0) throw new SobreError("InvalidArgument", "A correlation filter needs at least one property.");
  return {
    indexKey: wanted[0],
    matches: ({ envelope }) => wanted.every(({ read, value }) => read(envelope) === value),
  };
}

/** Text that is equal for equal values of one kind: integers of any width are one kind, floating-point numbers another. */
function comparable(value: ApplicationPropertyValue): string;
function comparable(value: ApplicationPropertyValue | undefined): string | undefined;
function comparable(value: ApplicationPropertyValue | undefined): string | undefined {
  if (value === undefined) return undefined;
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
