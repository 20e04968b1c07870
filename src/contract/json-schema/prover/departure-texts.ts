/**
 * Where ajv (8.20) departs from the specification. A reading with departures takes a schema as ajv may take it: what ajv
 * makes of such a place beyond the specification is one unknown, which is the same for the same keywords.
 */
export type Departure = keyof typeof departureTexts;

const departureTexts = {
  tuple: "ajv skips contains and uniqueItems after a tuple that is longer than the array, unless it has allErrors",
  loop: "ajv treats an empty array as containing what an earlier array next to it has contained",
  unevaluated: "ajv takes every item for evaluated next to contains",
  forgotten: "ajv forgets what was evaluated before a subschema that is not always applied, and takes if for evaluated",
  inherited: "ajv takes members that every object of JavaScript inherits, e.g. constructor, for present",
  prototype: "ajv knows no property named __proto__",
  foreign:
    "ajv applies keywords that the dialect of $schema does not have, e.g. const in draft-04 or dependencies in 2020-12",
  nullable: "ajv accepts null where a type has nullable, which JSON Schema does not define",
} as const;

/** A sentence on each departure that was found, for reports. */
export function departureText(departure: Departure): string {
  return departureTexts[departure];
}
