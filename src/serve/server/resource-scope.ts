import { SobreError } from "../../core/errors/sobre-error.ts";
import { decoded } from "../../wire/http/sas.ts";
import { trimSlashes } from "./path.ts";

/** Entity names have at most 260 characters; connections keep the scopes of their tokens. */
const maxScopeLength = 600;

/** A scheme and a host with a port, then a path. The host has neither `%` nor anything else that could hide a slash. */
const form = /^([a-z][a-z0-9+.-]*:\/\/)?(\[[0-9a-f:.]+\]|[\p{L}\p{N}._-]+)(:\d{1,5})?(?:\/([^]*))?$/iu;

/** Before a number and without slashes, they are not hosts. */
const schemes: ReadonlySet<string> = new Set(["sb", "amqp", "amqps", "http", "https", "ws", "wss"]);

/**
 * The path of a resource URI that a token was signed for, in lower case; empty for the whole namespace.
 *
 * @param isHost Whether a name without scheme and port is a host of the server: anything else may be meant as a path.
 * @throws SobreError `UnauthorizedAccess` for a resource without a host, and one that is not the path of an entity.
 */
export function scopeOf(resource: string, isHost: (name: string) => boolean): string {
  const [, scheme, host = "", port, rest = ""] = form.exec(resource) ?? [];
  const isNamed = scheme !== undefined || (port === undefined ? isHost(host) : !schemes.has(host.toLowerCase()));
  if (host === "" || !isNamed)
    throw unauthorized("names no host. Sign it for sb://HOST/ENTITY, or for sb://HOST/ to cover the whole namespace.");
  // Some clients add a query.
  const [path = ""] = rest.split("?");
  const scope = trimSlashes(decoded(path))
    .replace(/\/\$management$/i, "")
    .toLowerCase();
  if (scope.length > maxScopeLength || (scope === "" && trimSlashes(path) !== ""))
    throw unauthorized("is not the path of an entity. Correct it and sign the token again.");
  return scope;
}

const unauthorized = (what: string): SobreError =>
  new SobreError("UnauthorizedAccess", `The resource (sr) of the token ${what}`);
