/** A TypeScript type before it is written. Inner types are made when they are written, so that a type may contain itself. */
export type Expression =
  | { readonly kind: "text" | "name"; readonly text: string }
  | { readonly kind: "or" | "and"; readonly of: readonly Expression[] }
  | { readonly kind: "list"; readonly of: () => Expression }
  | {
      readonly kind: "tuple";
      readonly items: readonly (() => Expression)[];
      /** How many items are always there. */
      readonly least: number;
      readonly rest?: (() => Expression) | undefined;
    }
  | {
      readonly kind: "object";
      readonly members: readonly TypeMember[];
      /** The type of members of any other name, which must admit the named ones too. */
      readonly others?: (() => Expression) | undefined;
    };

/** A member of an object type. */
export interface TypeMember {
  readonly name: string;
  readonly isOptional: boolean;
  readonly of: () => Expression;
  /** Shown by editors. */
  readonly comment?: string | undefined;
}

/** A type as it is written. */
export function text(written: string): Expression {
  return { kind: "text", text: written };
}

/** A declared type. */
export function named(name: string): Expression {
  return { kind: "name", text: name };
}

export const unknown: Expression = text("unknown");
export const never: Expression = text("never");

/** A union; `never` if it is empty. */
export function or(...types: readonly Expression[]): Expression {
  return joined("or", types) ?? never;
}

/** An intersection; `unknown` if it is empty. */
export function and(...types: readonly Expression[]): Expression {
  return joined("and", types) ?? unknown;
}

function joined(kind: "or" | "and", types: readonly Expression[]): Expression | undefined {
  const of = types.flatMap((type) => (type.kind === kind ? type.of : [type]));
  return of.length > 1 ? { kind, of } : of[0];
}

/** A value of JSON as a literal type. */
export function literal(value: unknown): Expression {
  if (Array.isArray(value)) {
    return { kind: "tuple", items: value.map((item) => () => literal(item)), least: value.length };
  }
  if (typeof value !== "object" || value === null) return text(JSON.stringify(value));
  const members = Object.entries(value).map(([name, member]) => ({
    name,
    isOptional: false,
    of: () => literal(member),
  }));
  return { kind: "object", members };
}

/** A comment for editors, its lines behind `indent`; "" for no text. */
export function writeComment(comment: string | undefined, indent: string): string {
  const lines = (comment ?? "").replaceAll("*/", "*\\/").split(/\r?\n/);
  const shown = lines.map((line) => line.trim()).filter((line) => line !== "");
  if (shown.length === 0) return "";
  if (shown.length === 1) return `${indent}/** ${shown.join("")} */\n`;
  return `${indent}/**\n${shown.map((line) => `${indent} * ${line}\n`).join("")}${indent} */\n`;
}

/** The text of a type, whose further lines begin with `indent`. */
export function writeType(type: Expression, indent = ""): string {
  return write(type, indent, "alone");
}

/** Where a type is written, which decides whether it needs parentheses. */
type ExpressionPlace = "alone" | "in or" | "in and" | "of list";

function write(type: Expression, indent: string, place: ExpressionPlace): string {
  switch (type.kind) {
    case "text":
    case "name":
      return type.text;
    case "or":
    case "and":
      return writeJoined(type, indent, place);
    case "list":
      return enclosed(`readonly ${write(type.of(), indent, "of list")}[]`, place === "of list");
    case "tuple": {
      const items = type.items.map((item, at) =>
        at < type.least ? write(item(), indent, "alone") : `${write(ofItem(item()), indent, "of list")}?`,
      );
      const rest = type.rest === undefined ? [] : [`...${write(ofItem(type.rest()), indent, "of list")}[]`];
      return enclosed(`readonly [${[...items, ...rest].join(", ")}]`, place === "of list");
    }
    case "object":
      return writeObject(type, indent);
    default:
      return type satisfies never;
  }
}

/** Lists in optional items and in the rest of a tuple are read at once by the compiler, which refuses one that leads to itself. */
function ofItem(type: Expression): Expression {
  return holdsList(type) ? unknown : type;
}

function holdsList(type: Expression): boolean {
  if (type.kind === "or" || type.kind === "and") return type.of.some(holdsList);
  return (type.kind === "list" || type.kind === "tuple") && leadsToName(type);
}

function leadsToName(type: Expression): boolean {
  switch (type.kind) {
    case "or":
    case "and":
      return type.of.some(leadsToName);
    case "list":
      return leadsToName(type.of());
    case "tuple":
      return [...type.items, ...(type.rest === undefined ? [] : [type.rest])].some((item) => leadsToName(item()));
    default:
      return type.kind === "name";
  }
}

function writeJoined(
  { kind, of }: Extract<Expression, { kind: "or" | "and" }>,
  indent: string,
  place: ExpressionPlace,
): string {
  const parts = Array.from(new Set(of.map((part) => write(part, indent, `in ${kind}`))));
  const neutral = kind === "or" ? "never" : "unknown";
  const absorbing = kind === "or" ? "unknown" : "never";
  if (parts.includes(absorbing)) return absorbing;
  const left = parts.filter((part) => part !== neutral);
  if (left.length < 2) return left[0] ?? neutral;
  const isInside = place === "of list" || (kind === "or" && place === "in and");
  return enclosed(left.join(kind === "or" ? " | " : " & "), isInside);
}

function writeObject({ members, others }: Extract<Expression, { kind: "object" }>, indent: string): string {
  const inner = `${indent}  `;
  const lines = members.map(
    ({ name, isOptional, of, comment }) =>
      `${writeComment(comment, inner)}${inner}readonly ${memberName(name)}${isOptional ? "?" : ""}: ${write(memberType(of, isOptional), inner, "alone")};\n`,
  );
  if (others !== undefined) {
    const known = members.map(({ of, isOptional }) => memberType(of, isOptional));
    lines.push(`${inner}readonly [name: string]: ${write(or(others(), ...known), inner, "alone")};\n`);
  }
  return lines.length === 0 ? "{ readonly [name: string]: never }" : `{\n${lines.join("")}${indent}}`;
}

function memberType(of: () => Expression, isOptional: boolean): Expression {
  return isOptional ? or(of(), text("undefined")) : of();
}

function memberName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

function enclosed(written: string, isInside: boolean): string {
  return isInside ? `(${written})` : written;
}
