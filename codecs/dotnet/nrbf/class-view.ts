import { memo } from "../../../src/core/values/memo.ts";
import { SobreError } from "../../../src/core/errors/sobre-error.ts";
import type { ClassDescription, NrbfClassNode, MemberNode, NrbfDocument } from "./nodes.ts";
import { NrbfPlainClass } from "./plain-class.ts";

const plainNames = new WeakMap<ClassDescription, string>();

/** The CLR name without type arguments, e.g. ``System.Collections.Generic.List`1``. */
export function plainNameOf(description: ClassDescription): string {
  return memo(plainNames, description, ({ typeName }) => typeName.split("[", 1)[0] ?? "");
}

/** The members of a class record by name; references are followed. */
export class ClassView {
  readonly node: NrbfClassNode;
  readonly #document: NrbfDocument;

  constructor(node: NrbfClassNode, document: NrbfDocument) {
    this.node = node;
    this.#document = document;
  }

  /** The CLR name of its class, without type arguments. */
  get plainName(): string {
    return plainNameOf(this.node.description);
  }

  get names(): readonly string[] {
    return this.node.description.memberNames;
  }

  member(name: string): MemberNode | undefined {
    const index = this.names.indexOf(name);
    if (this.node instanceof NrbfPlainClass) return this.node.memberAt(index);
    const member = this.node.members[index];
    return member && targetOf(member, this.#document);
  }

  /** A member that is an integer of up to 32 bits. */
  int(name: string): number | undefined {
    const member = this.member(name);
    if (member?.kind !== "primitive" || member.type === "Single" || member.type === "Double") return undefined;
    return typeof member.value === "number" ? member.value : undefined;
  }

  /** A member that is an integer of 64 bits. */
  long(name: string): bigint | undefined {
    const member = this.member(name);
    return member?.kind === "primitive" && typeof member.value === "bigint" ? member.value : undefined;
  }

  /** A member that is an integer of any size, as enums have. */
  integer(name: string): number | bigint | undefined {
    return this.int(name) ?? this.long(name);
  }

  text(name: string): string | undefined {
    const member = this.member(name);
    return member?.kind === "string" ? member.value : undefined;
  }

  /** A view of a member that is a class. */
  inner(name: string): ClassView | undefined {
    const member = this.member(name);
    return member?.kind === "class" ? new ClassView(member, this.#document) : undefined;
  }

  /** A view of another node of the same payload, if it or its target is a class. */
  of(node: MemberNode): ClassView | undefined {
    const target = targetOf(node, this.#document);
    return target.kind === "class" ? new ClassView(target, this.#document) : undefined;
  }

  /** The error of an object that its class cannot have written. */
  malformed(): SobreError {
    const { offset } = this.node;
    const text = `The object at byte ${offset} of the BinaryFormatter payload does not hold what its class writes.`;
    return new SobreError("DecodeFailed", text, { offset });
  }
}

/** The target of a reference, or the node itself. */
export function targetOf(node: MemberNode, { objects }: NrbfDocument): MemberNode {
  return node.kind === "reference" ? (objects.get(node.id) ?? node) : node;
}
