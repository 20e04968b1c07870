import { setMember } from "../../core/values/plain-object.ts";
import {
  type CorrelationFilter,
  correlationFields,
  type RuleAction,
  type RuleFilter,
  type RuleProperties,
} from "../../core/engine/rules.ts";
import { typed } from "../../core/values/typed-makers.ts";
import type { ApplicationPropertyValue } from "../../core/envelope/application-properties.ts";
import { Typed } from "../../core/values/typed.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { readIsoDuration } from "../../core/time/duration.ts";
import { child, escaped, type HttpXmlElement } from "./xml.ts";

type AtomRuleValues = Readonly<Record<string, ApplicationPropertyValue>>;

/** Reads the filter and action of a rule's description. @throws SobreError `InvalidArgument`. */
export function readRule(description: HttpXmlElement | undefined): {
  filter: RuleFilter;
  action: RuleAction | undefined;
} {
  const filter = child(description, "Filter");
  const action = child(description, "Action");
  const expression = child(action, "SqlExpression")?.text ?? "";
  const parameters = valuesIn(child(action, "Parameters"));
  return {
    filter: filter === undefined ? { kind: "true" } : readFilter(filter),
    action: expression === "" ? undefined : { kind: "sql", expression, parameters },
  };
}

function readFilter(filter: HttpXmlElement): RuleFilter {
  const type = filter.attributes.get("type") ?? "SqlFilter";
  if (type === "TrueFilter") return { kind: "true" };
  if (type === "FalseFilter") return { kind: "false" };
  if (type !== "CorrelationFilter") {
    const parameters = valuesIn(child(filter, "Parameters"));
    return { kind: "sql", expression: child(filter, "SqlExpression")?.text ?? "", parameters };
  }
  const members: Record<string, string> = {};
  for (const [element, member] of correlationFields) {
    const text = child(filter, element)?.text ?? "";
    if (text !== "") members[member] = text;
  }
  return { kind: "correlation", ...members, applicationProperties: valuesIn(child(filter, "Properties")) };
}

function valuesIn(list: HttpXmlElement | undefined): AtomRuleValues | undefined {
  if (list === undefined || list.children.length === 0) return undefined;
  const values: Record<string, ApplicationPropertyValue> = {};
  for (const entry of list.children) {
    const key = child(entry, "Key")?.text ?? "";
    const value = child(entry, "Value");
    if (value === undefined) continue;
    const read = valueOf(value.attributes.get("type") ?? "", value.text);
    setMember(values, key, read);
  }
  return values;
}

/** The value of a typed element, by the types of XML Schema. */
function valueOf(type: string, text: string): ApplicationPropertyValue {
  switch (type.slice(type.indexOf(":") + 1)) {
    case "int":
      return amqpInt(text);
    case "long":
      return BigInt(/^-?\d{1,19}$/.test(text) ? text : refuseType("long"));
    case "double":
    case "decimal":
    case "float":
      return new Typed(
        "double",
        text.trim() !== "" && !Number.isNaN(Number(text)) ? Number(text) : refuseType("double"),
      );
    case "boolean":
      return /^(?:true|1)$/i.test(text) || (!/^(?:false|0)$/i.test(text) && refuseType("boolean"));
    case "dateTime":
      return new Date(Number.isNaN(Date.parse(text)) ? refuseType("dateTime") : text);
    case "duration":
      return typed.described(
        typed.symbol("com.microsoft:timespan"),
        BigInt(readIsoDuration(text) ?? refuseType("duration")) * 10_000n,
      );
    default:
      return text;
  }
}

const amqpInt = (text: string): number =>
  /^-?\d{1,10}$/.test(text) && Number(text) === (Number(text) | 0) ? Number(text) : refuseType("int");

/** @throws always. */
function refuseType(type: string): never {
  throw new SobreError("InvalidArgument", `A value of a rule is not a valid ${type}.`);
}

const xsi = 'xmlns:i="http://www.w3.org/2001/XMLSchema-instance"';

/** The elements of a rule's description. */
export function writeRule({ name, filter, action }: RuleProperties): string {
  const act =
    action === undefined
      ? `<Action ${xsi} i:type="EmptyRuleAction"></Action>`
      : `<Action ${xsi} i:type="SqlRuleAction"><SqlExpression>${escaped(action.expression)}</SqlExpression>${writeValues("Parameters", action.parameters)}</Action>`;
  return `${writeFilter(filter)}${act}<CreatedAt>${new Date().toISOString()}</CreatedAt><Name>${escaped(name)}</Name>`;
}

function writeFilter(filter: RuleFilter): string {
  switch (filter.kind) {
    case "true":
      return `<Filter ${xsi} i:type="TrueFilter"><SqlExpression>1=1</SqlExpression></Filter>`;
    case "false":
      return `<Filter ${xsi} i:type="FalseFilter"><SqlExpression>1=0</SqlExpression></Filter>`;
    case "sql":
      return `<Filter ${xsi} i:type="SqlFilter"><SqlExpression>${escaped(filter.expression)}</SqlExpression>${writeValues("Parameters", filter.parameters)}</Filter>`;
    case "correlation":
      return writeCorrelation(filter);
    default:
      return filter satisfies never;
  }
}

function writeCorrelation(filter: CorrelationFilter): string {
  const elements = correlationFields.map(([element, member]) => {
    const value = filter[member];
    return value === undefined ? "" : `<${element}>${escaped(value)}</${element}>`;
  });
  const properties = writeValues("Properties", filter.applicationProperties);
  return `<Filter ${xsi} i:type="CorrelationFilter">${elements.join("")}${properties}</Filter>`;
}

function writeValues(element: string, values: AtomRuleValues | undefined): string {
  if (values === undefined) return "";
  const entries = Object.entries(values).map(([key, value]) => {
    const [type, text] = typeAndText(value);
    return `<KeyValueOfstringanyType><Key>${escaped(key)}</Key><Value ${xsi} xmlns:d6p1="http://www.w3.org/2001/XMLSchema" i:type="d6p1:${type}">${escaped(text)}</Value></KeyValueOfstringanyType>`;
  });
  return `<${element}>${entries.join("")}</${element}>`;
}

function typeAndText(value: ApplicationPropertyValue): readonly [type: string, text: string] {
  if (value instanceof Date) return ["dateTime", value.toISOString()];
  if (typeof value === "boolean") return ["boolean", String(value)];
  if (typeof value === "bigint") return ["long", String(value)];
  if (typeof value === "number") return [Number.isInteger(value) ? "int" : "double", String(value)];
  if (value instanceof Typed) return [value.type === "double" ? "double" : "string", JSON.stringify(value)];
  return ["string", typeof value === "string" ? value : ""];
}
