import { trimSlashes } from "../path.ts";

/** The node that a link is attached to. */
export type LinkNode =
  | { readonly kind: "cbs" }
  | { readonly kind: "management"; readonly entity: string }
  | { readonly kind: "entity"; readonly entity: string };

const management = "/$management";

/** The path of an address: a bare name, a percent-encoded path, or a complete URI. */
export const pathOf = (address: string): string =>
  decoded(trimSlashes(address.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, "")));

/** Reads the address of a link. */
export function nodeOf(address: string): LinkNode {
  const path = pathOf(address);
  const lower = path.toLowerCase();
  if (lower === "$cbs") return { kind: "cbs" };
  if (lower === "$management") return { kind: "management", entity: "" };
  if (path.slice(-management.length).toLowerCase() === management)
    return { kind: "management", entity: path.slice(0, -management.length) };
  return { kind: "entity", entity: path };
}

function decoded(path: string): string {
  if (!path.includes("%")) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
