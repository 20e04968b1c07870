import { amend, type Envelope } from "../../../core/envelope/envelope.ts";
import type { ApplicationPropertyValue } from "../../../core/envelope/application-properties.ts";
import type { BrokerProperties } from "../../../core/envelope/broker-properties.ts";
import { readIsoDuration, readTimeSpan } from "../../../core/time/duration.ts";
import { typed } from "../../../core/values/typed-makers.ts";
import { convertedTo, propertyText, propertyTime } from "./conversion.ts";
import { type RuleSubject, worth } from "./effort.ts";
import { compileValue, propertyNameIn } from "./evaluation.ts";
import { type Parameters, SqlParser } from "./parser.ts";
import { applicationName, applicationValue, systemProperty } from "./properties.ts";
import type { SqlValueNode, Statement } from "./syntax.ts";
import { evaluationError, fromSql, toSql } from "./values.ts";

type ActionStep = (subject: RuleSubject) => Envelope;

/**
 * Compiles a SQL action; its statements are applied to a message in order.
 *
 * @throws SobreError `InvalidArgument` with the offset of a syntax error.
 */
export function compileSqlAction(expression: string, parameters?: Parameters): ActionStep {
  const steps = new SqlParser(expression, parameters).statements().map(compileStatement);
  return ({ envelope, effort }) => {
    effort.spend(expression.length);
    return steps.reduce((changed, step) => step({ envelope: changed, effort }), envelope);
  };
}

function compileStatement(statement: Statement): ActionStep {
  const { property } = statement;
  const value = statement.kind === "set" ? compileAssigned(statement.value) : undefined;
  if (property.scope === "sys")
    return (subject) => setSystem(subject.envelope, property.name, value?.(subject) ?? null);
  return (subject) => {
    const name = applicationName(subject, property.name) ?? property.name;
    const existing = subject.envelope.applicationProperties[name];
    const assigned = value === undefined ? undefined : convertedTo(existing, value(subject));
    return amend(subject.envelope, { applicationProperties: { [name]: assigned } });
  };
}

/** The value that is assigned, with the AMQP type that it has where it comes from. */
function compileAssigned(node: SqlValueNode): (subject: RuleSubject) => ApplicationPropertyValue {
  if (node.kind === "newid") return () => typed.uuid(crypto.randomUUID());
  if (node.kind === "constant" && node.given !== undefined) {
    const { given } = node;
    return () => given;
  }
  const nameIn = propertyNameIn(node);
  const evaluate = compileValue(node);
  return (subject) => {
    const name = nameIn?.(subject);
    const value = name?.scope === "user" ? (applicationValue(subject, name.name) ?? null) : fromSql(evaluate(subject));
    // It may be converted, which reads it once more.
    subject.effort.spend(worth(toSql(value)));
    return value;
  };
}

function setSystem(envelope: Envelope, name: string, value: ApplicationPropertyValue): Envelope {
  const property = systemProperty(name);
  if (property === undefined)
    throw evaluationError(
      `The system property "${name}" is set only by the broker and cannot be changed: it was written`,
    );
  const assigned = value === null ? undefined : systemValue(property, value);
  return amend(envelope, {
    brokerProperties: Object.assign({ ...envelope.brokerProperties }, { [property]: assigned }),
  });
}

/** The value in the type of a system property: a span of time, a time or text. @throws SobreError if it cannot be converted. */
function systemValue(property: keyof BrokerProperties, value: ApplicationPropertyValue): number | Date | string {
  const converted =
    property === "timeToLive"
      ? millisecondsOf(value)
      : property === "scheduledEnqueueTimeUtc"
        ? propertyTime(value)
        : propertyText(value);
  if (converted !== undefined) return converted;
  throw evaluationError(`A value that cannot be converted to the type of "sys.${property}" was written to it`);
}

/** Milliseconds: of a number, or of text as .NET or ISO 8601 write spans of time. */
function millisecondsOf(value: ApplicationPropertyValue): number | undefined {
  const plain = toSql(value);
  if (typeof plain === "bigint" || typeof plain === "number") return Number(plain);
  if (typeof plain !== "string") return undefined;
  const milliseconds = readTimeSpan(plain.trim()) ?? readIsoDuration(plain.trim());
  return milliseconds === undefined ? undefined : Math.round(milliseconds);
}
