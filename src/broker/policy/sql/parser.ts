import type { ApplicationPropertyValue } from "../../../core/envelope/application-properties.ts";
import type {
  Arithmetic,
  ComparisonOperator,
  PredicateNode,
  PropertyName,
  SqlValue,
  Statement,
  SqlValueNode,
} from "./syntax.ts";
import { syntaxError, type SqlToken, tokenize } from "./tokens.ts";
import { toSql } from "./values.ts";

/** Values of `@name` parameters. */
export type Parameters = Readonly<Record<string, ApplicationPropertyValue>>;

/** Maximum nesting depth of parentheses, NOT and signs. */
const maxDepth = 100;

type Parsed = { readonly predicate: PredicateNode } | { readonly value: SqlValueNode };

const comparisons: ReadonlyMap<string, ComparisonOperator> = new Map([
  ["=", "="],
  ["<>", "<>"],
  ["!=", "<>"],
  ["<", "<"],
  ["<=", "<="],
  [">", ">"],
  [">=", ">="],
]);

/** Parses expressions by recursive descent: OR, AND, NOT, comparison, sum, product, sign, term. */
export class SqlParser {
  readonly #tokens: readonly SqlToken[];
  readonly #parameters: ReadonlyMap<string, ApplicationPropertyValue>;
  #at = 0;
  #depth = 0;

  constructor(text: string, parameters: Parameters = {}) {
    this.#tokens = tokenize(text);
    this.#parameters = new Map(
      Object.entries(parameters).map(([name, value]) => [name.replace(/^@/, "").toLowerCase(), value]),
    );
  }

  /** Parses the whole text as a condition. @throws SobreError `InvalidArgument` with the offset. */
  condition(): PredicateNode {
    const predicate = this.#predicateOf(this.#or());
    if (this.#token.kind !== "end") throw this.#unexpected();
    return predicate;
  }

  /** Parses the whole text as statements. @throws SobreError `InvalidArgument` with the offset. */
  statements(): readonly Statement[] {
    const statements: Statement[] = [];
    do {
      statements.push(this.#statement());
      while (this.#sign(";"));
    } while (this.#token.kind !== "end");
    return statements;
  }

  #statement(): Statement {
    if (this.#keyword("remove")) return { kind: "remove", property: this.#property() };
    if (!this.#keyword("set")) throw this.#unexpected();
    const property = this.#property();
    this.#expectSign("=");
    return { kind: "set", property, value: this.#valueOf(this.#sum()) };
  }

  #or(): Parsed {
    let left = this.#and();
    while (this.#keyword("or"))
      left = { predicate: { kind: "or", left: this.#predicateOf(left), right: this.#predicateOf(this.#and()) } };
    return left;
  }

  #and(): Parsed {
    let left = this.#not();
    while (this.#keyword("and"))
      left = { predicate: { kind: "and", left: this.#predicateOf(left), right: this.#predicateOf(this.#not()) } };
    return left;
  }

  #not(): Parsed {
    if (!this.#keyword("not")) return this.#comparison();
    return { predicate: { kind: "not", operand: this.#predicateOf(this.#nested(() => this.#not())) } };
  }

  #comparison(): Parsed {
    if (this.#keyword("exists")) return { predicate: this.#exists() };
    const left = this.#sum();
    const operator = this.#token.kind === "sign" ? comparisons.get(this.#token.text) : undefined;
    if (operator !== undefined) {
      this.#at++;
      return { predicate: { kind: "compare", operator, left: this.#valueOf(left), right: this.#valueOf(this.#sum()) } };
    }
    if (this.#keyword("is")) {
      const negated = this.#keyword("not");
      if (!this.#keyword("null")) throw this.#unexpected();
      return this.#negateIf(negated, { kind: "isNull", operand: this.#valueOf(left) });
    }
    const negated = this.#keyword("not");
    if (this.#keyword("in"))
      return this.#negateIf(negated, { kind: "in", operand: this.#valueOf(left), list: this.#list() });
    if (this.#keyword("like")) return this.#negateIf(negated, this.#like(this.#valueOf(left)));
    if (negated) throw this.#unexpected();
    return left;
  }

  #exists(): PredicateNode {
    this.#expectSign("(");
    const property = this.#property();
    this.#expectSign(")");
    return { kind: "exists", property };
  }

  #list(): readonly SqlValueNode[] {
    this.#expectSign("(");
    const list = [this.#valueOf(this.#sum())];
    while (this.#sign(",")) list.push(this.#valueOf(this.#sum()));
    this.#expectSign(")");
    return list;
  }

  #like(operand: SqlValueNode): PredicateNode {
    const pattern = this.#valueOf(this.#sum());
    const escape = this.#keyword("escape") ? this.#valueOf(this.#sum()) : undefined;
    return { kind: "like", operand, pattern, escape };
  }

  #negateIf(negated: boolean, predicate: PredicateNode): Parsed {
    return { predicate: negated ? { kind: "not", operand: predicate } : predicate };
  }

  #sum(): Parsed {
    return this.#leftToRight(["+", "-"], () => this.#product());
  }

  #product(): Parsed {
    return this.#leftToRight(["*", "/", "%"], () => this.#signed());
  }

  #leftToRight(operators: readonly Arithmetic[], operand: () => Parsed): Parsed {
    let left = operand();
    for (;;) {
      const operator = operators.find((candidate) => this.#sign(candidate));
      if (operator === undefined) return left;
      left = { value: { kind: "arithmetic", operator, left: this.#valueOf(left), right: this.#valueOf(operand()) } };
    }
  }

  #signed(): Parsed {
    if (this.#sign("+")) return { value: this.#valueOf(this.#nested(() => this.#signed())) };
    if (this.#sign("-"))
      return { value: { kind: "negate", operand: this.#valueOf(this.#nested(() => this.#signed())) } };
    return this.#term();
  }

  #term(): Parsed {
    const token = this.#token;
    if (this.#sign("(")) {
      const inner = this.#nested(() => this.#or());
      this.#expectSign(")");
      return inner;
    }
    if (token.kind === "constant") return this.#constant(token.value);
    if (token.kind === "parameter") {
      const given = this.#parameter(token.text, token.offset);
      return this.#constant(toSql(given), given);
    }
    if (token.kind === "keyword") {
      if (token.text === "null") return this.#constant(undefined);
      if (token.text === "true" || token.text === "false") return this.#constant(token.text === "true");
    }
    return { value: this.#function() ?? { kind: "property", property: this.#property() } };
  }

  #constant(value: SqlValue, given?: ApplicationPropertyValue): Parsed {
    this.#at++;
    return { value: { kind: "constant", value, given } };
  }

  #parameter(name: string, offset: number): ApplicationPropertyValue {
    const value = this.#parameters.get(name);
    if (value === undefined) throw syntaxError(`The parameter @${name} has no value`, offset);
    return value;
  }

  #function(): SqlValueNode | undefined {
    const token = this.#token;
    const next = this.#tokens[this.#at + 1];
    if (token.kind !== "name" || token.delimited || next?.kind !== "sign" || next.text !== "(") return undefined;
    const name = token.text.toLowerCase();
    this.#at += 2;
    if (name !== "newid" && name !== "property" && name !== "p")
      throw syntaxError("The functions are newid(), property(name) and p(name)", token.offset);
    const node: SqlValueNode =
      name === "newid"
        ? { kind: "newid" }
        : { kind: "propertyByName", name: this.#valueOf(this.#nested(() => this.#sum())) };
    this.#expectSign(")");
    return node;
  }

  #nested(read: () => Parsed): Parsed {
    if (++this.#depth > maxDepth)
      throw syntaxError(`The SQL expression nests more than ${maxDepth} levels`, this.#token.offset);
    const inner = read();
    this.#depth--;
    return inner;
  }

  #property(): PropertyName {
    const first = this.#name();
    const scope = first.delimited ? undefined : first.text.toLowerCase();
    if ((scope === "sys" || scope === "user") && this.#sign(".")) return { scope, name: this.#name().text };
    return { scope: "user", name: first.text };
  }

  #name(): Extract<SqlToken, { kind: "name" }> {
    const token = this.#token;
    if (token.kind !== "name") throw this.#unexpected();
    this.#at++;
    return token;
  }

  #predicateOf(parsed: Parsed): PredicateNode {
    if ("predicate" in parsed) return parsed.predicate;
    const { value } = parsed;
    const canBeTrue = value.kind === "property" || value.kind === "propertyByName";
    if (canBeTrue || (value.kind === "constant" && (typeof value.value === "boolean" || value.value === undefined)))
      return { kind: "truth", operand: value };
    throw syntaxError("A condition was expected here, not a value", this.#token.offset);
  }

  #valueOf(parsed: Parsed): SqlValueNode {
    if ("value" in parsed) return parsed.value;
    throw syntaxError("A value was expected here, not a condition", this.#token.offset);
  }

  get #token(): SqlToken {
    return this.#tokens[this.#at] ?? { kind: "end", offset: 0 };
  }

  #keyword(text: string): boolean {
    const token = this.#token;
    if (token.kind !== "keyword" || token.text !== text) return false;
    this.#at++;
    return true;
  }

  #sign(text: string): boolean {
    const token = this.#token;
    if (token.kind !== "sign" || token.text !== text) return false;
    this.#at++;
    return true;
  }

  #expectSign(text: string): void {
    if (!this.#sign(text)) throw syntaxError(`"${text}" was expected`, this.#token.offset);
  }

  #unexpected(): Error {
    const token = this.#token;
    const what =
      token.kind === "end" ? "The SQL expression ends too early" : "The SQL expression has an unexpected word";
    return syntaxError(what, token.offset);
  }
}
