import { unescapeToken } from "../../core/json-schema/json-form.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { isObject } from "../json-schema/json-value.ts";
import { escapeToken } from "../json-schema/schema-document.ts";

/** An object of a document and its place, after references have been followed. */
export interface DocumentPlace {
  readonly value: Readonly<Record<string, unknown>>;
  /** JSON Pointer. */
  readonly pointer: string;
}

/** The longest chain of references to references. */
const maxSteps = 50;
const maxDepth = 500;

/** An AsyncAPI 3 document; all its references must stay within it. */
export class AsyncApiDocument {
  readonly root: DocumentPlace;
  /** JSON Pointers of the parts that have not been imported so far. */
  readonly lost: Set<string> = new Set<string>();
  readonly #used = new Set<string>();

  /** @throws SobreError `InvalidArgument` for any other document. */
  constructor(value: unknown) {
    if (!isObject(value) || typeof value["asyncapi"] !== "string")
      throw new SobreError("InvalidArgument", "It is not an AsyncAPI document: it has no text under asyncapi.");
    if (!/^3\.\d+\.\d+(?:-.*)?$/.test(value["asyncapi"]))
      throw new SobreError(
        "InvalidArgument",
        `AsyncAPI ${JSON.stringify(value["asyncapi"])} is not supported; 3.0 is. Convert the document first, e.g. with \`asyncapi convert\`.`,
      );
    refuseDeep(value);
    this.root = { value, pointer: "" };
  }

  /** The object at a member, or where its reference leads; `undefined` when there is none. */
  member({ value, pointer }: DocumentPlace, name: string): DocumentPlace | undefined {
    const inner = Object.hasOwn(value, name) ? value[name] : undefined;
    return inner === undefined ? undefined : this.follow(inner, `${pointer}/${escapeToken(name)}`);
  }

  /** The objects of a map by their names. */
  members(place: DocumentPlace, name: string): readonly (readonly [name: string, place: DocumentPlace])[] {
    const map = this.member(place, name);
    if (map === undefined) return [];
    return Object.keys(map.value).map((key) => [key, this.needed(map, key)] as const);
  }

  /** The object at a member that must be there. */
  needed(place: DocumentPlace, name: string): DocumentPlace {
    const found = this.member(place, name);
    if (found !== undefined) return found;
    throw invalidDocument(`${place.pointer}/${escapeToken(name)}`, "is missing");
  }

  /** The objects of a list. */
  list({ value, pointer }: DocumentPlace, name: string): readonly DocumentPlace[] | undefined {
    const items = value[name];
    if (items === undefined) return undefined;
    if (!Array.isArray(items)) throw invalidDocument(`${pointer}/${name}`, "must be a list");
    return items.map((item: unknown, at) => this.follow(item, `${pointer}/${name}/${at}`));
  }

  /** Follows references. @throws SobreError `InvalidArgument` for one that leads out of the document, in a circle, or to no object. */
  follow(value: unknown, pointer: string): DocumentPlace {
    let place = { value, pointer };
    for (let steps = 0; isObject(place.value) && typeof place.value["$ref"] === "string"; steps++) {
      const reference = place.value["$ref"];
      if (steps > maxSteps) throw invalidDocument(pointer, "refers to itself");
      for (const name of Object.keys(place.value)) if (name !== "$ref") this.lose(place.pointer, name);
      place = { value: this.at(reference, place.pointer), pointer: reference.slice(1) };
      this.#used.add(place.pointer);
    }
    if (!isObject(place.value)) throw invalidDocument(pointer, "must be an object");
    return { value: place.value, pointer: place.pointer };
  }

  /** The value that a reference means. */
  at(reference: string, from: string): unknown {
    if (!reference.startsWith("#/"))
      throw invalidDocument(
        from,
        `refers to ${JSON.stringify(reference)}, which is not in the document. Bundle it first, e.g. with \`asyncapi bundle\``,
      );
    let value: unknown = this.root.value;
    for (const token of reference.slice(2).split("/")) {
      const name = decodedToken(token);
      if (Array.isArray(value)) value = value[Number(name)];
      else value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
    }
    if (value !== undefined) return value;
    throw invalidDocument(from, `refers to ${JSON.stringify(reference)}, which is not there`);
  }

  /** The members of an object that are kept; every other one counts as lost. */
  kept({ value, pointer }: DocumentPlace, names: readonly string[]): Readonly<Record<string, unknown>> {
    for (const name of Object.keys(value)) if (!names.includes(name)) this.lose(pointer, name);
    return Object.fromEntries(Object.entries(value).filter(([name]) => names.includes(name)));
  }

  lose(pointer: string, name?: string): void {
    this.lost.add(name === undefined ? pointer : `${pointer}/${escapeToken(name)}`);
  }

  use(pointer: string): void {
    this.#used.add(pointer);
  }

  /** Records components as lost if nothing refers to them, or only parts that are lost themselves. */
  loseUnused(): void {
    const components = this.member(this.root, "components");
    for (const kind of Object.keys(components?.value ?? {})) {
      const held = components?.value[kind];
      const pointer = `/components/${escapeToken(kind)}`;
      if (!isObject(held)) this.lose(pointer);
      else
        for (const name of Object.keys(held))
          if (!Array.from(this.#used).some((one) => `${one}/`.startsWith(`${pointer}/${escapeToken(name)}/`)))
            this.lose(pointer, name);
    }
  }
}

/** @throws SobreError `LimitExceeded` for a value whose objects and lists nest too deep. */
function refuseDeep(value: unknown, depth = 0): void {
  if (depth > maxDepth) throw new SobreError("LimitExceeded", `The document nests deeper than ${maxDepth} levels.`);
  if (typeof value === "object" && value !== null)
    for (const inner of Object.values(value)) refuseDeep(inner, depth + 1);
}

/** A token of a reference as a name. */
export function decodedToken(token: string): string {
  const plain = unescapeToken(token);
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain;
  }
}

export function invalidDocument(pointer: string, what: string): SobreError {
  return new SobreError("InvalidArgument", `${pointer || "/"} ${what}.`, { path: pointer });
}
