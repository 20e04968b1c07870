import { checkOption } from "../../core/options/option-checks.ts";
import * as is from "../../core/options/is.ts";
import type { MessageType } from "../../core/message/message-type.ts";
import type { Subject } from "./subject.ts";
import { majorOf } from "./subject-version.ts";

/** Converts a body sent as version `from` for a consumer of version `to`; `undefined` when no conversion is needed. */
export type SubjectUpcast = (
  subject: Subject,
  body: unknown,
  versions: { readonly from: string; readonly to: string },
) => unknown;

/**
 * The upcasts of message types: a body of an older major is read as the type reads it, step by step and validated each
 * time. A subject is a type's by its name; the type's version is the subject's major.
 */
export function upcastBy(types: readonly Pick<MessageType, "name" | "latestVersion" | "read">[]): SubjectUpcast {
  checkOption("types", types, is.messageTypes);
  const byName = new Map(types.map((type) => [type.name, type]));
  return ({ name }, body, { from, to }) => {
    const type = byName.get(name);
    const [before, after] = [majorOf(from), majorOf(to)];
    return type === undefined || before >= after || after !== type.latestVersion ? undefined : type.read(body, before);
  };
}
