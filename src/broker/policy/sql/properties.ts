import type { ApplicationPropertyValue } from "../../../core/envelope/application-properties.ts";
import type { BrokerProperties } from "../../../core/envelope/broker-properties.ts";
import { brokerPropertyTable } from "../../../core/envelope/broker-property-table.ts";
import { Typed } from "../../../core/values/typed.ts";
import type { RuleSubject } from "./effort.ts";
import type { PropertyName, SqlValue } from "./syntax.ts";
import { evaluationError, toSql } from "./values.ts";

/** The `sys.` names in lower case, with the corresponding broker properties; `undefined` for those that the broker sets later. */
const systemNames: ReadonlyMap<string, keyof BrokerProperties | undefined> = new Map([
  ["label", "subject"],
  ...brokerPropertyTable
    // The SQL of Service Bus has no name for the content encoding.
    .filter(({ http, property }) => http !== undefined && property !== "contentEncoding")
    .map((row) => [row.property.toLowerCase(), row.settable ? row.property : undefined] as const),
]);

/** The broker property under a `sys.` name. @throws SobreError for an unknown name. */
export function systemProperty(name: string): keyof BrokerProperties | undefined {
  const lower = name.toLowerCase();
  if (!systemNames.has(lower)) throw evaluationError(`Unknown system property "${name}": it was asked for`);
  return systemNames.get(lower);
}

/** The actual name of an application property; names are compared case-insensitively. */
export function applicationName({ envelope, effort }: RuleSubject, name: string): string | undefined {
  const { applicationProperties } = envelope;
  if (applicationProperties[name] !== undefined) return name;
  const lower = name.toLowerCase();
  const names = Object.keys(applicationProperties);
  effort.spend(8 * names.length);
  return names.find((candidate) => candidate.toLowerCase() === lower);
}

/** The value of an application property as it was sent. */
export function applicationValue(subject: RuleSubject, name: string): ApplicationPropertyValue | undefined {
  const present = applicationName(subject, name);
  return present === undefined ? undefined : subject.envelope.applicationProperties[present];
}

/** The value of a property in an expression. @throws SobreError for an unknown system property. */
export function valueOfProperty(subject: RuleSubject, { scope, name }: PropertyName): SqlValue {
  if (scope === "user") return toSql(applicationValue(subject, name));
  const property = systemProperty(name);
  const value = property === undefined ? undefined : subject.envelope.brokerProperties[property];
  return value instanceof Typed ? value.value : toSql(value);
}

/** Whether the property exists, even if its value is NULL. @throws SobreError for an unknown system property. */
export function isPresent(subject: RuleSubject, property: PropertyName): boolean {
  if (property.scope === "user") return applicationName(subject, property.name) !== undefined;
  return valueOfProperty(subject, property) !== undefined;
}
