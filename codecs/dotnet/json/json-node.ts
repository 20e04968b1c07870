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
  readonly members: Map<string, JsonNode>;
  readonly at: number;
}
