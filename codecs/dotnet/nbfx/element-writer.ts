import { xsi } from "../xml/namespaces.ts";
import type { XmlName } from "../xml/node.ts";
import { RecordWriter } from "./record-writer.ts";
import { attributeRecords, elementRecords, record } from "./records.ts";

interface Declaration {
  readonly prefix: string;
  readonly namespace: string;
  readonly depth: number;
}

const letters = Array.from("abcdefghijklmnopqrstuvwxyz");

/** Writes elements with the prefixes that .NET's XmlBaseWriter chooses; declarations follow the attributes. */
export class ElementWriter {
  /** The underlying record writer; use it to write text after {@link content}. */
  readonly records: RecordWriter = new RecordWriter();
  readonly #declared: Declaration[] = [];
  #depth = 0;
  #isOpen = false;

  /** Starts an element; without a prefix, it uses the one in scope for its namespace, or the empty one. */
  start({ namespace, local }: XmlName, prefix: string = this.#prefixOf(namespace) ?? ""): void {
    this.content();
    this.#depth++;
    this.#isOpen = true;
    this.records.named(prefix, local, elementRecords);
    this.#declareIfMissing(prefix, namespace);
  }

  end(): void {
    this.content();
    this.records.endElement();
    while (this.#declared.at(-1)?.depth === this.#depth) this.#declared.pop();
    this.#depth--;
  }

  /** Ends the start tag, so that contents may follow. */
  content(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    for (const { prefix, namespace, depth } of this.#declared) {
      if (depth !== this.#depth) continue;
      this.records.node(prefix === "" ? record.shortXmlns : record.xmlns);
      if (prefix !== "") this.records.name(prefix);
      this.records.name(namespace);
    }
  }

  /** Declares a namespace under a prefix, or under the next free letter if no prefix is given. */
  declare(namespace: string, prefix?: string): string {
    const known = prefix ?? this.#prefixOf(namespace);
    const chosen = known ?? letters.find((letter) => this.#namespaceOf(letter) === undefined) ?? `p${this.#depth}`;
    this.#declareIfMissing(chosen, namespace);
    return chosen;
  }

  /** An attribute with a prefix; `write` must write its value and nothing else. */
  attribute(prefix: string, { namespace, local }: XmlName, write: (records: RecordWriter) => void): void {
    this.records.named(prefix, local, attributeRecords);
    write(this.records);
    this.records.endAttribute();
    this.#declareIfMissing(prefix, namespace);
  }

  /** `i:nil`. */
  nil(): void {
    this.attribute("i", { namespace: xsi, local: "nil" }, (records) => records.boolean(true));
  }

  /** `i:type`. */
  type(name: XmlName): void {
    // The prefix of the attribute comes before that of its value.
    this.#declareIfMissing("i", xsi);
    this.attribute("i", { namespace: xsi, local: "type" }, (records) => records.text(this.qualified(name)));
  }

  /** A name with the prefix of its namespace, which is declared if necessary. */
  qualified({ namespace, local }: XmlName): string {
    // Only the empty prefix can stand for no namespace.
    const prefix = this.declare(namespace, namespace === "" ? "" : undefined);
    return prefix === "" ? local : `${prefix}:${local}`;
  }

  /** Starts an array record; its element has no contents, and the values follow. */
  arrayItem({ namespace, local }: XmlName): void {
    this.content();
    this.records.node(record.array);
    const prefix = this.#prefixOf(namespace) ?? "";
    this.records.named(prefix, local, elementRecords);
    if (this.#namespaceOf(prefix) !== namespace && !(prefix === "" && namespace === "")) {
      this.records.node(record.shortXmlns);
      this.records.name(namespace);
    }
    this.records.endElement();
  }

  #declareIfMissing(prefix: string, namespace: string): void {
    const current = this.#namespaceOf(prefix) ?? (prefix === "" ? "" : undefined);
    if (current !== namespace) this.#declared.push({ prefix, namespace, depth: this.#depth });
  }

  #namespaceOf(prefix: string): string | undefined {
    return this.#declared.findLast((declaration) => declaration.prefix === prefix)?.namespace;
  }

  /** The innermost prefix in scope for a namespace. */
  #prefixOf(namespace: string): string | undefined {
    const found = this.#declared.findLast(
      (declaration) => declaration.namespace === namespace && this.#namespaceOf(declaration.prefix) === namespace,
    );
    if (found !== undefined) return found.prefix;
    return namespace === "" && this.#namespaceOf("") === undefined ? "" : undefined;
  }
}
