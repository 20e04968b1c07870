import { SobreError } from "../../core/errors/sobre-error.ts";

/**
 * The entity named by a `replyTo`: relative, e.g. `replies`, or absolute, e.g. `sb://host/replies`.
 *
 * The host of an absolute address is ignored: a reply is sent through the engine that received the request.
 *
 * @throws SobreError `InvalidArgument` when it names no entity.
 * @example
 * ```ts
 * console.log(resolveReplyTo("sb://contoso.servicebus.windows.net/replies")); // replies
 * ```
 */
export function resolveReplyTo(replyTo: string): string {
  const text: string = typeof replyTo === "string" ? replyTo : "";
  const entity = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? pathOf(text) : text.replace(/^\/+/, "");
  if (entity !== undefined && entity !== "") return entity;
  throw new SobreError("InvalidArgument", 'replyTo must name an entity, e.g. "replies" or "sb://host/replies".', {
    path: "$.replyTo",
  });
}

function pathOf(address: string): string | undefined {
  try {
    return decodeURIComponent(new URL(address).pathname).replace(/^\/+|\/+$/g, "");
  } catch {
    return undefined;
  }
}
