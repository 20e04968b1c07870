/** A JSON value as it was written: numbers stay text. `at` is its index in the text. */
export type JsonNode = JsonScalarNode | JsonListNode | JsonObjectNode;

/** A string, number or literal. */
export type JsonScalarNode =
  | { readonly kind: "string"; readonly value: string; readonly at: number }
  | { readonly kind: "number"; readonly text: string; readonly at: number }
  | { readonly kind: "literal"; readonly value: boolean | null; readonly at: number };

/** A list. */
export interface JsonListNode {
  readonly kind: "list";
  readonly items: JsonNode[];
  readonly at: number;
}

/** An object; of members of one name the last counts. */
export interface JsonObjectNode {
  readonly kind: "object";
  readonly names: string[];
  /** The value of each name. */
  readonly values: JsonNode[];
  readonly at: number;
}

/** The member of a name, or `undefined`. */
export function memberOf({ names, values }: JsonObjectNode, name: string): JsonNode | undefined {
  return values[names.lastIndexOf(name)];
}
