/** A JSON Schema (2020-12) as a value. */
export type JsonSchema = boolean | { readonly [keyword: string]: unknown };

/**
 * The type of the values that a JSON Schema written as a literal describes.
 *
 * `type`, `properties`, `required`, `items`, `enum`, `const`, `anyOf` and `oneOf` count; what other keywords
 * forbid is found at run time. Without any of them it is `unknown`. An integer of the format `int64` may be a bigint.
 */
export type FromJsonSchema<S> = S extends true
  ? unknown
  : S extends false
    ? never
    : S extends { readonly const: infer C }
      ? C
      : S extends { readonly enum: readonly (infer E)[] }
        ? E
        : S extends { readonly anyOf: readonly (infer A)[] }
          ? FromJsonSchema<A>
          : S extends { readonly oneOf: readonly (infer O)[] }
            ? FromJsonSchema<O>
            : S extends { readonly type: readonly (infer T)[] }
              ? OfTypes<T, S>
              : S extends { readonly type: infer T }
                ? OfTypes<T, S>
                : unknown;

type OfTypes<T, S> = T extends "string"
  ? string
  : T extends "number" | "integer"
    ? S extends { readonly format: "int64" }
      ? number | bigint
      : number
    : T extends "boolean"
      ? boolean
      : T extends "null"
        ? null
        : T extends "array"
          ? S extends { readonly items: infer I }
            ? readonly FromJsonSchema<I>[]
            : readonly unknown[]
          : T extends "object"
            ? OfObject<S>
            : unknown;

type OfObject<S> = S extends { readonly properties: infer P }
  ? {
      readonly [K in keyof P as K extends Required<S> ? K : never]: FromJsonSchema<P[K]>;
    } & {
      readonly [K in keyof P as K extends Required<S> ? never : K]?: FromJsonSchema<P[K]> | undefined;
    } extends infer Members
    ? // Inferred, so that editors show the members and not how they came about.
      { [K in keyof Members]: Members[K] }
    : never
  : { readonly [name: string]: unknown };

type Required<S> = S extends { readonly required: readonly (infer R)[] } ? R : never;
