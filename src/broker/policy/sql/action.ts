import { amend, type Envelope } from "../../../core/envelope/envelope.ts";
import type { ApplicationPropertyValue } from "../../../core/envelope/application-properties.ts";
import type { BrokerPropertiesInit } from "../../../core/envelope/broker-properties.ts";
import type { RuleSubject } from "./effort.ts";
import { compileValue, type Evaluate } from "./evaluation.ts";
import { type Parameters, SqlParser } from "./parser.ts";
import { applicationName, applicationValue, systemProperty } from "./properties.ts";
import type { SqlValue, Statement } from "./syntax.ts";
import { evaluationError, fromSql } from "./values.ts";

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
  if (property.scope === "sys") {
    const value = statement.kind === "set" ? compileValue(statement.value) : (): undefined => undefined;
    return (subject) => setSystem(subject.envelope, property.name, value(subject));
  }
  const value = statement.kind === "set" ? compileAssigned(statement) : undefined;
  return (subject) => {
    const name = applicationName(subject, property.name) ?? property.name;
    return amend(subject.envelope, { applicationProperties: { [name]: value?.(subject) } });
  };
}

/** Assigning one property to another keeps the AMQP type. */
function compileAssigned({
  value,
}: Extract<Statement, { kind: "set" }>): (subject: RuleSubject) => ApplicationPropertyValue {
  const evaluate: Evaluate = compileValue(value);
  if (value.kind !== "property" || value.property.scope !== "user") return (subject) => fromSql(evaluate(subject));
  const { name } = value.property;
  return (subject) => applicationValue(subject, name) ?? null;
}

function setSystem(envelope: Envelope, name: string, value: SqlValue): Envelope {
  const property = systemProperty(name);
  if (property === undefined)
    throw evaluationError(
      `The system property "${name}" is set only by the broker and cannot be changed: it was written`,
    );
  return amend(envelope, { brokerProperties: withSystem(envelope, property, value) });
}

function withSystem(envelope: Envelope, property: string, value: SqlValue): BrokerPropertiesInit {
  const plain = property === "timeToLive" && typeof value === "bigint" ? Number(value) : value;
  return Object.assign({ ...envelope.brokerProperties }, { [property]: plain });
}
