import type { XmlElement } from "../xml/node.ts";
import { pathOf } from "./element-facts.ts";
import { type Contract, nameText, type ObjectShape } from "./shape.ts";
import { rootNameOf } from "./type-names.ts";

const maxWarnings = 100;

/** Everything tolerated while a document was mapped, up to a limit. */
export class MappingWarnings {
  readonly texts: string[] = [];
  readonly #strangers = new Set<string>();

  /** Warns about one element. */
  warn(element: XmlElement, what: string): void {
    if (this.texts.length < maxWarnings) this.texts.push(`${pathOf(element)} ${what}.`);
  }

  /** Warns about an object with one member that may be an item; the text is created only if there is room for it. */
  listOfOne(element: XmlElement, { local }: XmlElement): void {
    if (this.texts.length < maxWarnings) this.warn(element, `may be a list of one "${local}"; a contract would decide`);
  }

  /** Warns about a root without a contract; one that differs only in its namespace may be misspelt. */
  noContract(root: XmlElement, contracts: readonly Contract[]): void {
    const names = contracts.flatMap(({ root: shape, known }) => [
      rootNameOf(shape),
      ...[...known.values()].map(rootNameOf),
    ]);
    const like = names.find(({ local }) => local === root.local);
    const other = like === undefined ? "" : `, but one is for ${nameText(like)}`;
    this.texts.push(`No contract describes ${nameText(root)}${other}; it was read by its form.`);
  }

  /** Warns about members of the same name with others in between: they become a list, which loses their order among the others. */
  warnOfRepeated(element: XmlElement, name: string): void {
    const key = `${element.offset} ${name}`;
    if (this.texts.length >= maxWarnings || this.#strangers.size === this.#strangers.add(key).size) return;
    this.warn(element, `has "${name}" at several places, as an attribute or among other elements; all are in one list`);
  }

  /** Warns once about an element whose text and elements are in one order, which members do not keep. */
  warnOfMixedContent(element: XmlElement): void {
    const key = `${element.offset} #text`;
    if (this.texts.length >= maxWarnings || this.#strangers.size === this.#strangers.add(key).size) return;
    this.warn(element, "has text among its elements; their order is not kept");
  }

  /** Warns once about each path with a value that does not fit the contract. */
  misfit(path: string, what: string): void {
    if (this.texts.length >= maxWarnings) return;
    const text = `${path} does not fit its contract (${what}); it was kept as written.`;
    if (this.#strangers.size < this.#strangers.add(text).size) this.texts.push(text);
  }

  /** Warns once about a member that a class does not have: the contract may be misspelt, or older than the sender. */
  warnOfMember(element: XmlElement, member: string, { name }: ObjectShape): void {
    const key = `${nameText(name)} ${member}`;
    if (this.texts.length >= maxWarnings || this.#strangers.size === this.#strangers.add(key).size) return;
    this.warn(element, `has ${member}, which the contract of ${name.local} does not; it was read by its form`);
  }
}
