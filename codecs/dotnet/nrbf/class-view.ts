import { SobreError } from "../../../src/errors/index.ts";
import type { ClassNode, MemberNode, NrbfDocument, PrimitiveValue } from "./nodes.ts";

/** The CLR name without type arguments, as ``System.Collections.Generic.List`1``. */
export function plainTypeName(typeName: string): string {
  const arguments_ = typeName.indexOf("[");
  return arguments_ === -1 ? typeName : typeName.slice(0, arguments_);
}

/** The members of a class record by name; references are followed. */
export class ClassView {
  readonly node: ClassNode;
  readonly #document: NrbfDocument;

  constructor(node: ClassNode, document: NrbfDocument) {
    this.node = node;
    this.#document = document;
  }

  get names(): readonly string[] {
    return this.node.description.memberNames;
  }

  member(name: string): MemberNode | undefined {
    const member = this.node.members[this.names.indexOf(name)];
    return member && targetOf(member, this.#document);
  }

  /** The value of a primitive member. */
  primitive(name: string): PrimitiveValue | undefined {
    const member = this.member(name);
    return member?.kind === "primitive" ? member.value : undefined;
  }

  int(name: string): number | undefined {
    const value = this.primitive(name);
    return typeof value === "number" ? value : undefined;
  }

  long(name: string): bigint | undefined {
    const value = this.primitive(name);
    return typeof value === "bigint" ? value : undefined;
  }

  text(name: string): string | undefined {
    const member = this.member(name);
    return member?.kind === "string" ? member.value : undefined;
  }

  /** A member that is a class, to look into. */
  inner(name: string): ClassView | undefined {
    const member = this.member(name);
    return member?.kind === "class" ? new ClassView(member, this.#document) : undefined;
  }

  /** A view of another class record of the same payload. */
  of(node: ClassNode): ClassView {
    return new ClassView(node, this.#document);
  }

  /** The error of an object that its class cannot have written. */
  malformed(): SobreError {
    const { offset } = this.node;
    const text = `The object at byte ${offset} of the BinaryFormatter payload does not hold what its class writes.`;
    return new SobreError("DecodeFailed", text, { offset });
  }
}

/** The object that a reference points at, or the node itself. */
export function targetOf(node: MemberNode, { objects }: NrbfDocument): MemberNode {
  return node.kind === "reference" ? (objects.get(node.id) ?? node) : node;
}
