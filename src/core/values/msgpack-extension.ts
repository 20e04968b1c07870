import { SobreError } from "../errors/sobre-error.ts";
import { toBase64 } from "./base64.ts";
import type { JsonObject } from "./json.ts";
import { TaggedScalar } from "./tagged-value.ts";

/** A value of a MessagePack extension type that sobre does not interpret: kept as it came, and written back. */
export class MsgpackExtension extends TaggedScalar {
  /** From -128 to 127; the format keeps the negative ones for itself. */
  readonly type: number;
  readonly data: Uint8Array;

  /**
   * @throws SobreError `InvalidArgument` for a type outside -128 to 127, and for -1: timestamps are `Date` or `Instant`.
   */
  constructor(type: number, data: Uint8Array) {
    if (!Number.isInteger(type) || type < -128 || type > 127 || type === -1) {
      throw new SobreError(
        "InvalidArgument",
        "A MessagePack extension type is an integer from -128 to 127 other than -1; use Date or Instant for timestamps.",
      );
    }
    super();
    this.type = type;
    this.data = data;
    Object.freeze(this);
  }

  override toTagged(): JsonObject {
    return { $msgpackExtension: [this.type, toBase64(this.data)] };
  }
}
