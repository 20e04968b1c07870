/** The names of subjects and of generated types, each once. */
export class SubjectNames {
  readonly #taken = new Set<string>();

  /** The last part of a type's name as an identifier: `{urn:shop}Order` and `Acme.Shop.Order` are `Order`. */
  take(typeName: string): string {
    const name = identifierOf(typeName);
    for (let number = 1; ; number++) {
      const candidate = number === 1 ? name : `${name}${number}`;
      // Some file systems are case-insensitive.
      if (this.#taken.has(candidate.toLowerCase())) continue;
      this.#taken.add(candidate.toLowerCase());
      return candidate;
    }
  }
}

/** The last part of a name, in letters, digits and `_`, starting with a capital letter. */
function identifierOf(typeName: string): string {
  const local = typeName
    .replace(/^\{.*\}/, "")
    .replace(/`.*$/, "")
    .replace(/\[L(.*);$/, "$1 List")
    .replace(/\[.*?\]/g, " List");
  const words = (/([^./+$]+)$/.exec(local)?.[1] ?? local).split(/[^\p{L}\p{N}_]+/u).filter((word) => word !== "");
  const joined = words.map((word) => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`).join("");
  const ascii = joined.normalize("NFD").replaceAll(/[^A-Za-z0-9_]/g, "");
  return /^[A-Za-z]/.test(ascii) ? ascii : `Type${ascii}`;
}
