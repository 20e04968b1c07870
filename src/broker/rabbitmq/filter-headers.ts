import type { Envelope } from "../../core/envelope/envelope.ts";
import { brokerPropertyTable } from "../../core/envelope/broker-property-table.ts";
import { Typed } from "../../core/values/typed.ts";
import type { SqlValue } from "../policy/sql/syntax.ts";
import { toSql } from "../policy/sql/values.ts";
import { filterHeader, kindOf } from "./rule-selector.ts";

/** The broker properties that a rule can name. */
const properties = brokerPropertyTable.filter(({ settable }) => settable).map(({ property }) => property);

/**
 * The copies of a message's properties that rules see, each in a header that names its type.
 *
 * They are text, truth values, 64-bit integers and doubles only: a rule that asks for a header of another type closes the
 * publisher's connection.
 */
export function filterHeaders({
  brokerProperties,
  applicationProperties,
}: Envelope): Readonly<Record<string, unknown>> {
  const headers: Record<string, unknown> = {};
  const add = (scope: "sys" | "user", name: string, value: SqlValue): void => {
    headers[filterHeader("x", scope, name)] = true;
    const kind = kindOf(value);
    // RabbitMQ ends the connection of whoever sends it a number that is not finite.
    const isSendable = typeof value !== "number" || Number.isFinite(value);
    if (kind !== undefined && isSendable) headers[filterHeader(kind, scope, name)] = copyOf(value);
  };
  for (const name in applicationProperties) add("user", name, toSql(applicationProperties[name]));
  for (const property of properties) {
    const value = Reflect.get(brokerProperties, property);
    if (value !== undefined) add("sys", property, value instanceof Typed ? valueOfTyped(value) : toSql(value));
  }
  return headers;
}

const valueOfTyped = ({ value }: Typed): SqlValue => (typeof value === "string" ? value : undefined);

function copyOf(value: SqlValue): unknown {
  if (typeof value === "bigint")
    return BigInt.asIntN(64, value) === value ? { "!": "int64", value } : { "!": "double", value: Number(value) };
  if (typeof value === "number") return { "!": "double", value };
  if (value instanceof Date) return { "!": "int64", value: BigInt(value.getTime()) };
  return typeof value === "object" ? true : value;
}
