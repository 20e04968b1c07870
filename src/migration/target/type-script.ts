import type { SettledShape } from "../infer/settled-shape.ts";
import { formsOf, type TargetForm } from "./target-form.ts";
import { rulesOfType, type TargetRules } from "./target-rules.ts";
import { SubjectNames } from "./subject-name.ts";

/** The TypeScript types of the messages of a type, one interface per object. */
export function typeScriptOf(name: string, typeName: string, shape: SettledShape, rules: TargetRules): string {
  return new TypeWriter(rulesOfType(rules, shape)).write(name, typeName, shape);
}

function keyOf(member: string): string {
  return /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(member) ? member : JSON.stringify(member);
}

class TypeWriter {
  readonly #rules: TargetRules;
  readonly #names = new SubjectNames();
  readonly #blocks: string[] = [];

  constructor(rules: TargetRules) {
    this.#rules = rules;
  }

  write(name: string, typeName: string, shape: SettledShape): string {
    const about = `/** Inferred from ${shape.shape.count} ${shape.shape.count === 1 ? "message" : "messages"} of ${typeName.replaceAll("*/", "* /")}. */`;
    const isObject = shape.shape.kinds.object === shape.shape.count && !shape.shape.isDictionary && !shape.list;
    if (isObject) {
      const root = this.#names.take(name);
      this.#interface(root, shape);
    } else {
      const root = this.#names.take(name);
      this.#blocks.push(`export type ${root} = ${this.#type(shape, `${name}Item`)};`);
    }
    return `${about}\n${this.#blocks.join("\n\n")}\n`;
  }

  #interface(name: string, { shape, members }: SettledShape): void {
    const at = this.#blocks.push("") - 1;
    const lines = Array.from(members, ([member, settled]) => {
      const optional = settled.shape.count < shape.kinds.object ? "?" : "";
      return `  readonly ${keyOf(member)}${optional}: ${this.#type(settled, `${name}_${member}`)};`;
    });
    const { discriminator } = this.#rules;
    if (discriminator !== undefined && shape.typeNames.size > 0) {
      const texts = Array.from(shape.typeNames, (typeName) => JSON.stringify(discriminator.textOf(typeName)));
      const isOften = shape.typeNames.size < 20;
      lines.unshift(`  readonly ${keyOf(discriminator.member)}?: ${isOften ? texts.join(" | ") : "string"};`);
    }
    this.#blocks[at] =
      lines.length === 0 ? `export type ${name} = object;` : `export interface ${name} {\n${lines.join("\n")}\n}`;
  }

  #type(settled: SettledShape, name: string): string {
    const types = new Set(formsOf(settled, this.#rules).map((form) => this.#typeOf(form, settled, name)));
    return types.size === 0 ? "unknown" : [...types].join(" | ");
  }

  #typeOf({ type }: TargetForm, settled: SettledShape, name: string): string {
    const inner = (shape: SettledShape | undefined): string =>
      shape === undefined ? "unknown" : this.#type(shape, `${name}Item`);
    switch (type) {
      case "integer":
        return this.#rules.int64 === "native" && settled.shape.unsafe > 0 ? "number | bigint" : "number";
      case "array":
        return `readonly (${inner(settled.items)})[]`.replace(/\((\w+)\)\[\]$/, "$1[]");
      case "pairs":
        return `readonly (readonly [${inner(settled.keys)}, ${inner(settled.items)}])[]`;
      case "map":
        return `ReadonlyMap<${inner(settled.keys)}, ${inner(settled.items)}>`;
      case "bytes":
        return "Uint8Array";
      case "time":
        return "Date";
      case "object": {
        if (settled.shape.isDictionary) return `Readonly<Record<string, ${inner(settled.items)}>>`;
        const own = this.#names.take(name);
        this.#interface(own, settled);
        return own;
      }
      default:
        return type;
    }
  }
}
