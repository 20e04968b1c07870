import type { JsonObject } from "./json.ts";
import { TaggedScalar } from "./tagged-value.ts";

/** The base of text values with their own type. */
export abstract class NamedText extends TaggedScalar {
  readonly text: string;

  constructor(text: string) {
    super();
    this.text = text;
    Object.freeze(this);
  }

  override toString(): string {
    return this.text;
  }
}

/** A URI as it was written, absolute or relative; nothing is normalised or fetched. */
export class Uri extends NamedText {
  override toTagged(): JsonObject {
    return { $uri: this.text };
  }
}

/** A version number, e.g. `1.2.3.4`. */
export class Version extends NamedText {
  override toTagged(): JsonObject {
    return { $version: this.text };
  }
}

/** The name of a class, where a class itself is the value; nothing is loaded. */
export class ClassName extends TaggedScalar {
  readonly name: string;

  constructor(name: string) {
    super();
    this.name = name;
    Object.freeze(this);
  }

  override toString(): string {
    return this.name;
  }

  override toTagged(): JsonObject {
    return { $class: this.name };
  }
}
