import type { JsonObject } from "./json.ts";
import { TaggedScalar } from "./tagged-value.ts";

/** A name in an XML namespace. */
export class QName extends TaggedScalar {
  readonly namespace: string;
  readonly local: string;

  constructor(namespace: string, local: string) {
    super();
    this.namespace = namespace;
    this.local = local;
    Object.freeze(this);
  }

  /** `{namespace}local`, or `local` alone in no namespace. */
  override toString(): string {
    return this.namespace === "" ? this.local : `{${this.namespace}}${this.local}`;
  }

  override toTagged(): JsonObject {
    return { $qname: this.toString() };
  }
}
