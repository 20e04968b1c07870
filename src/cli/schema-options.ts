import type { Schema } from "./codecs.ts";
import { textOf } from "./commander.ts";

/** The options that name a Protobuf schema, as commander parsed them. */
export interface SchemaOptions {
  readonly proto?: unknown;
  readonly messageType?: unknown;
}

/** The schema that the options name. */
export function schemaOptions({ proto, messageType }: SchemaOptions): Schema {
  const protos = Array.isArray(proto) ? proto.map(String) : [];
  return { protos, messageType: textOf(messageType) };
}
