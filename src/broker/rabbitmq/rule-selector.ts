import { Buffer } from "node:buffer";
import type { ApplicationPropertyValue } from "../../core/envelope/application-properties.ts";
import { correlationProperties, type RuleFilter, type RuleProperties } from "../../core/engine/rules.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { SqlParser } from "../policy/sql/parser.ts";
import { systemProperty } from "../policy/sql/properties.ts";
import type { ComparisonOperator, PredicateNode, PropertyName, SqlValue, SqlValueNode } from "../policy/sql/syntax.ts";
import { toSql } from "../policy/sql/values.ts";
import { rabbitmqCapabilities } from "./capabilities.ts";

/**
 * A condition as the exchange type x-jms-topic evaluates it: an Erlang term.
 *
 * It sees headers only, and compares values of different types by Erlang's order of types. So each property has a copy in a
 * header that names its type (`filterHeaders`), and a comparison asks for the headers of the types that it can be true for.
 */
type Term = string;

/** The types of values in names of headers: text, number, truth value, date, anything else but NULL, and all that exist. */
type KindLetter = "s" | "n" | "b" | "d" | "o" | "x";

const comparable: readonly KindLetter[] = ["n", "s", "b", "d"];

/** The header with the copy of a property for rules. */
export const filterHeader = (kind: KindLetter, scope: "sys" | "user", name: string): string =>
  `f.${kind}.${scope}.${scope === "user" ? name.toLowerCase() : name}`;

/** The type of a value, and the value as a rule compares it. */
export function kindOf(value: SqlValue): KindLetter | undefined {
  if (value === undefined) return undefined;
  if (typeof value === "string") return "s";
  if (typeof value === "boolean") return "b";
  if (typeof value === "number" || typeof value === "bigint") return "n";
  return value instanceof Date ? "d" : "o";
}

/** The maximum length of a condition: a table of headers has no more bytes. */
const maxTermLength = 60_000;

/**
 * The selector of a rule's binding; `undefined` for one that accepts nothing.
 *
 * @throws SobreError `InvalidArgument` for a syntax error, `UnsupportedCapability` for an action, and for conditions that RabbitMQ
 * cannot evaluate.
 */
export function selectorOf({ filter, action }: RuleProperties): Term | undefined {
  if (action !== undefined) throw unsupported(`actions of rules: ${rabbitmqCapabilities.ruleActions.note}`);
  const term = termOf(filter);
  if (term !== undefined && term.length > maxTermLength)
    throw unsupported(`a condition whose selector has ${term.length} bytes, and at most ${maxTermLength} fit`);
  return term === undefined ? undefined : `${term}.`;
}

function termOf(filter: RuleFilter): Term | undefined {
  switch (filter.kind) {
    case "true":
      return "true";
    case "false":
      return undefined;
    case "sql":
      return condition(new SqlParser(filter.expression, filter.parameters).condition(), false);
    case "correlation": {
      const terms: Term[] = [];
      for (const name of correlationProperties) {
        const value = filter[name];
        if (value !== undefined) terms.push(`{'=',${ident("s", { scope: "sys", name })},${binary(value)}}`);
      }
      for (const [name, value] of Object.entries(filter.applicationProperties ?? {}))
        terms.push(equal({ scope: "user", name }, value));
      return joined("and", terms);
    }
    default:
      return filter satisfies never;
  }
}

function equal(property: PropertyName, value: ApplicationPropertyValue): Term {
  const constant = toSql(value);
  const kind = kindOf(constant);
  if (constant === undefined || kind === undefined || kind === "o")
    throw unsupported(`a comparison of ${property.name} with bytes or NULL`);
  return `{'=',${ident(kind, property)},${literal(constant)}}`;
}

/** Compiles a condition, or its negation: negations move inwards, to comparisons, where they need no third value. */
function condition(node: PredicateNode, isNegated: boolean): Term {
  switch (node.kind) {
    case "not":
      return condition(node.operand, !isNegated);
    case "and":
    case "or": {
      const operator = (node.kind === "and") === isNegated ? "or" : "and";
      return joined(
        operator,
        chain(node, node.kind).map((operand) => condition(operand, isNegated)),
      );
    }
    case "compare":
      return comparison(isNegated ? inverse[node.operator] : node.operator, node.left, node.right);
    case "isNull":
      return isNull(node.operand, isNegated);
    case "in": {
      const operator = isNegated ? "<>" : "=";
      const terms = node.list.map((item) => comparison(operator, node.operand, item));
      return joined(isNegated ? "and" : "or", terms);
    }
    case "like": {
      const { operand, pattern, escape } = node;
      if (pattern.kind !== "constant" || (escape !== undefined && escape.kind !== "constant"))
        throw unsupported("LIKE with a pattern that is not a constant");
      if (typeof pattern.value !== "string") return unknown;
      const mark = typeof escape?.value === "string" ? binary(escape.value) : "no_escape";
      const like = `{'like',${valueTerm(operand, "s") ?? never},${binary(pattern.value)},${mark}}`;
      return isNegated ? `{'not',${like}}` : like;
    }
    case "exists": {
      const absent = `{'is_null',${ident("x", node.property)}}`;
      return isNegated ? absent : `{'not',${absent}}`;
    }
    case "truth":
      return comparison("=", node.operand, { kind: "constant", value: !isNegated });
    default:
      return node satisfies never;
  }
}

const inverse: Readonly<Record<ComparisonOperator, ComparisonOperator>> = {
  "=": "<>",
  "<>": "=",
  "<": ">=",
  "<=": ">",
  ">": "<=",
  ">=": "<",
};

/** The operands of a chain of one operator. */
function chain(node: PredicateNode, kind: "and" | "or"): readonly PredicateNode[] {
  return node.kind === kind ? [...chain(node.left, kind), ...chain(node.right, kind)] : [node];
}

/** Joins conditions as a balanced tree: from 4.2.6 on, terms are at most 16 levels deep. */
function joined(operator: "and" | "or", terms: readonly Term[]): Term {
  const [first = "true", second] = terms;
  if (second === undefined) return first;
  const middle = Math.ceil(terms.length / 2);
  return `{'${operator}',${joined(operator, terms.slice(0, middle))},${joined(operator, terms.slice(middle))}}`;
}

/** A header that no message has, and what a comparison with it is: unknown. */
const never = "{'ident',<<\"f.never\">>}";
const unknown = `{'=',${never},1}`;

function comparison(operator: ComparisonOperator, left: SqlValueNode, right: SqlValueNode): Term {
  const terms: Term[] = [];
  for (const kind of comparable) {
    const [first, second] = [valueTerm(left, kind), valueTerm(right, kind)];
    if (first !== undefined && second !== undefined) terms.push(`{'${operator}',${first},${second}}`);
  }
  // At most one of them is known: a property has one value.
  return terms.length === 0 ? unknown : joined("or", terms);
}

function isNull(operand: SqlValueNode, isNegated: boolean): Term {
  if (operand.kind === "constant") return (operand.value === undefined) === isNegated ? "false" : "true";
  if (operand.kind !== "property") throw unsupported("IS NULL of a calculated value");
  const kinds: readonly KindLetter[] = operand.property.scope === "sys" ? ["s", "n", "d", "o"] : [...comparable, "o"];
  const terms = kinds.map((kind) => `{'is_null',${ident(kind, operand.property)}}`);
  return isNegated
    ? joined(
        "or",
        terms.map((term) => `{'not',${term}}`),
      )
    : joined("and", terms);
}

/** A value as a term of a type; `undefined` when it never has that type. */
function valueTerm(node: SqlValueNode, kind: KindLetter): Term | undefined {
  switch (node.kind) {
    case "constant":
      if (kindOf(node.value) === "o") throw unsupported("a comparison with bytes");
      return node.value === undefined || kindOf(node.value) !== kind ? undefined : literal(node.value);
    case "property":
      return ident(kind, node.property);
    case "propertyByName": {
      if (node.name.kind !== "constant" || typeof node.name.value !== "string") throw unsupported("a calculated name");
      return ident(kind, scoped(node.name.value));
    }
    case "newid":
      throw unsupported("newid()");
    case "negate": {
      const operand = kind === "n" ? valueTerm(node.operand, "n") : undefined;
      return operand === undefined ? undefined : `{'-',0,${operand}}`;
    }
    case "arithmetic": {
      if (node.operator === "/" || node.operator === "%") throw unsupported(`the operator ${node.operator}`);
      if (kind !== "n") return undefined;
      const [left, right] = [valueTerm(node.left, "n"), valueTerm(node.right, "n")];
      return left === undefined || right === undefined ? undefined : `{'${node.operator}',${left},${right}}`;
    }
    default:
      return node satisfies never;
  }
}

function scoped(name: string): PropertyName {
  const [, scope, rest] = /^(sys|user)\.(.*)$/is.exec(name) ?? [];
  if (scope === undefined || rest === undefined) return { scope: "user", name };
  return { scope: scope.toLowerCase() === "sys" ? "sys" : "user", name: rest };
}

function ident(kind: KindLetter, { scope, name }: PropertyName): Term {
  if (scope === "user") return `{'ident',${binary(filterHeader(kind, scope, name))}}`;
  const property = knownSystemProperty(name);
  return property === undefined ? never : `{'ident',${binary(filterHeader(kind, scope, property))}}`;
}

function knownSystemProperty(name: string): ReturnType<typeof systemProperty> {
  try {
    return systemProperty(name);
  } catch {
    throw unsupported(`the unknown system property ${JSON.stringify(name)}`);
  }
}

function literal(value: Exclude<SqlValue, undefined>): Term {
  if (typeof value === "string") return binary(value);
  if (typeof value === "bigint" || typeof value === "boolean") return String(value);
  if (value instanceof Date) return String(value.getTime());
  if (typeof value !== "number") throw unsupported("a comparison with bytes");
  if (!Number.isFinite(value)) throw unsupported("a comparison with a number that is not finite");
  const text = String(value);
  // Erlang wants digits on both sides of the point.
  return /[.]/.test(text) ? text : text.replace(/^(-?\d+)/, "$1.0");
}

/** Text as an Erlang binary: quoted where it is plain, otherwise as its bytes. */
const binary = (text: string): Term =>
  /^[ !#-[\]-~]*$/.test(text) ? `<<"${text}">>` : `<<${[...Buffer.from(text)].join(",")}>>`;

const unsupported = (what: string): SobreError =>
  new SobreError("UnsupportedCapability", `A rule on RabbitMQ cannot have ${what}.`, { path: "$.filter" });
