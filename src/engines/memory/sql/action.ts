import { amend, type Envelope } from "../../../envelope/envelope.ts";
import type { ApplicationPropertyValue } from "../../../envelope/application-properties.ts";
import type { BrokerPropertiesInit } from "../../../envelope/broker-properties.ts";
import { compileValue, type Evaluate } from "./evaluation.ts";
import { type Parameters, Parser } from "./parser.ts";
import { applicationName, applicationValue, systemProperty } from "./properties.ts";
import type { SqlValue, Statement } from "./syntax.ts";
import { evaluationError, fromSql } from "./values.ts";

type Step = (envelope: Envelope) => Envelope;

/**
 * Reads a SQL action; its statements change a message one after the other.
 *
 * @throws SobreError `InvalidArgument` with the offset at which the expression cannot be read.
 */
export function compileSqlAction(expression: string, parameters?: Parameters): Step {
  const steps = new Parser(expression, parameters).statements().map(compileStatement);
  return (envelope) => steps.reduce((changed, step) => step(changed), envelope);
}

function compileStatement(statement: Statement): Step {
  const { property } = statement;
  if (property.scope === "sys") {
    const value = statement.kind === "set" ? compileValue(statement.value) : (): undefined => undefined;
    return (envelope) => setSystem(envelope, property.name, value(envelope));
  }
  const value = statement.kind === "set" ? compileAssigned(statement) : undefined;
  return (envelope) => {
    const name = applicationName(envelope, property.name) ?? property.name;
    return amend(envelope, { applicationProperties: { [name]: value?.(envelope) } });
  };
}

/** A property that is set to another one keeps its AMQP type. */
function compileAssigned({
  value,
}: Extract<Statement, { kind: "set" }>): (envelope: Envelope) => ApplicationPropertyValue {
  const evaluate: Evaluate = compileValue(value);
  if (value.kind !== "property" || value.property.scope !== "user") return (envelope) => fromSql(evaluate(envelope));
  const { name } = value.property;
  return (envelope) => applicationValue(envelope, name) ?? null;
}

function setSystem(envelope: Envelope, name: string, value: SqlValue): Envelope {
  const property = systemProperty(name);
  if (property === undefined)
    throw evaluationError(`The system property "${name}" is set by the broker alone: it was written`);
  return amend(envelope, { brokerProperties: withSystem(envelope, property, value) });
}

function withSystem(envelope: Envelope, property: string, value: SqlValue): BrokerPropertiesInit {
  const plain = property === "timeToLive" && typeof value === "bigint" ? Number(value) : value;
  return Object.assign({ ...envelope.brokerProperties }, { [property]: plain });
}
