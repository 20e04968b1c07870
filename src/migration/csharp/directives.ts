import { NotUnderstood } from "./source-problem.ts";

interface Section {
  /** Whether a branch has been taken, so that the others are left out. */
  isDone: boolean;
  isRead: boolean;
}

/** Deeper sections are refused. */
const maxSections = 200;
/** Longer conditions are refused, since reading them is recursive. */
const maxCondition = 2000;

/** The preprocessor of C#: which lines are read, by `#if` and its symbols. */
export class Directives {
  readonly #symbols: Set<string>;
  readonly #sections: Section[] = [];

  constructor(symbols: readonly string[]) {
    this.#symbols = new Set(symbols);
  }

  /** Whether the lines after the last directive are read. */
  get isReading(): boolean {
    return this.#sections.at(-1)?.isRead ?? true;
  }

  /** Whether all sections are closed. */
  get isWhole(): boolean {
    return this.#sections.length === 0;
  }

  /** Takes the text of one directive, without its `#`. @throws NotUnderstood */
  take(directive: string, line: number): void {
    const [, word = "", rest = ""] = /^\s*(\w*)\s*([^]*)$/.exec(directive.replace(/\/\/.*/, "")) ?? [];
    const section = this.#sections.at(-1);
    switch (word) {
      case "if": {
        if (this.#sections.length >= maxSections) throw new NotUnderstood(line, "nests #if too deeply");
        const isRead = this.isReading && this.#holds(rest, line);
        this.#sections.push({ isDone: isRead || !this.isReading, isRead });
        return;
      }
      case "elif":
      case "else": {
        if (section === undefined) throw new NotUnderstood(line, `has #${word} without #if`);
        section.isRead = !section.isDone && (word === "else" || this.#holds(rest, line));
        section.isDone ||= section.isRead;
        return;
      }
      case "endif":
        if (this.#sections.pop() === undefined) throw new NotUnderstood(line, "has #endif without #if");
        return;
      case "define":
        if (this.isReading) this.#symbols.add(rest.trim());
        return;
      case "undef":
        if (this.isReading) this.#symbols.delete(rest.trim());
        return;
      default:
        // Regions, pragmas and the like change nothing.
        return;
    }
  }

  #holds(condition: string, line: number): boolean {
    const tokens = condition.match(/\w+|&&|\|\||==|!=|[!()]|\S/g) ?? [];
    if (tokens.length > maxCondition) throw new NotUnderstood(line, "has a condition that is too long");
    let at = 0;
    const primary = (): boolean => {
      const token = tokens[at++];
      if (token === "!") return !primary();
      if (token === "(") {
        const inner = either();
        if (tokens[at++] !== ")") throw new NotUnderstood(line, "has a condition that breaks the grammar of #if");
        return inner;
      }
      if (token === undefined || !/^\w/.test(token))
        throw new NotUnderstood(line, "has a condition that breaks the grammar of #if");
      return token === "true" || (token !== "false" && this.#symbols.has(token));
    };
    const equal = (): boolean => {
      let left = primary();
      while (tokens[at] === "==" || tokens[at] === "!=") {
        const isEqual = tokens[at++] === "==";
        const right = primary();
        left = (left === right) === isEqual;
      }
      return left;
    };
    const both = (): boolean => {
      let left = equal();
      while (tokens[at] === "&&") {
        at++;
        const right = equal();
        left &&= right;
      }
      return left;
    };
    const either = (): boolean => {
      let left = both();
      while (tokens[at] === "||") {
        at++;
        const right = both();
        left ||= right;
      }
      return left;
    };
    const result = either();
    if (at < tokens.length) throw new NotUnderstood(line, "has a condition that breaks the grammar of #if");
    return result;
  }
}
