import type { ClassDescriptionNode, ObjectNode } from "./nodes.ts";

/** Where a field's value goes. */
export interface FieldPlace {
  readonly name: string;
  /** The class that declares it, when a derived class has a field of the same name; `undefined` of visible fields. */
  readonly hiddenBy: string | undefined;
}

/** Where the values of an object's fields go, in the order of its parts; the same for all objects of a class. */
export function placesOf({ parts }: ObjectNode): readonly FieldPlace[] {
  const owners = new Map<string, ClassDescriptionNode>();
  for (const { description } of parts) for (const { name } of description.fields) owners.set(name, description);
  return parts.flatMap(({ description }) =>
    description.fields.map(({ name }) => ({
      name,
      hiddenBy: owners.get(name) === description ? undefined : description.name,
    })),
  );
}
