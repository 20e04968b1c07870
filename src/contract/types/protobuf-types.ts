import { util } from "../../core/protobuf/protobufjs.ts";
import type { ComparedField, ComparedMessage } from "../protobuf/shape.ts";
import { and, type Expression, literal, type TypeMember, named, or, text } from "./type-expression.ts";

/**
 * The TypeScript type of a message as the codec reads it: names in camel case, 64-bit integers as bigint, enums by name, or number where the
 * schema has no name, and at most one member of a oneof.
 */
export function typeOfMessage({ fields }: ComparedMessage, nameOf: (message: ComparedMessage) => string): Expression {
  const oneofs = Map.groupBy(fields, ({ oneof }) => oneof);
  const memberOf = (field: ComparedField): TypeMember => ({
    name: util.camelCase(field.name),
    isOptional: field.label === "one" && !field.required && (field.hasPresence || field.message !== undefined),
    of: () => fieldType(field, nameOf),
  });
  const plain: Expression = { kind: "object", members: (oneofs.get(undefined) ?? []).map(memberOf) };
  const choices = Array.from(oneofs, ([oneof, members]) =>
    oneof === undefined ? [] : [or(...[undefined, ...members].map((chosen) => choice(members, chosen, memberOf)))],
  ).flat();
  return plain.members.length === 0 && choices.length > 0 ? and(...choices) : and(plain, ...choices);
}

function choice(
  members: readonly ComparedField[],
  chosen: ComparedField | undefined,
  memberOf: (field: ComparedField) => TypeMember,
): Expression {
  const absent = { isOptional: true, of: (): Expression => text("undefined") };
  return {
    kind: "object",
    members: members.map((field) =>
      field === chosen ? { ...memberOf(field), isOptional: false } : { name: util.camelCase(field.name), ...absent },
    ),
  };
}

function fieldType(field: ComparedField, nameOf: (message: ComparedMessage) => string): Expression {
  const one = (): Expression => valueType(field, nameOf);
  if (field.label === "many") return { kind: "list", of: one };
  return field.label === "map" ? { kind: "object", members: [], others: one } : one();
}

function valueType(
  { kind, message, enumeration }: ComparedField,
  nameOf: (message: ComparedMessage) => string,
): Expression {
  if (message !== undefined) return named(nameOf(message));
  if (enumeration !== undefined) return or(...Array.from(enumeration.names.values(), literal), text("number"));
  switch (kind) {
    case "string":
      return text("string");
    case "bool":
      return text("boolean");
    case "bytes":
      return text("Uint8Array");
    default:
      return text(kind.endsWith("64") ? "bigint" : "number");
  }
}
