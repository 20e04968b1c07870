import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { isMessageType } from "../contract/subjects/schema-source.ts";
import { type SubjectUpcast, upcastBy } from "../contract/subjects/upcast-by.ts";
import { Misuse } from "./misuse.ts";

/** The exports of a module of the user's own. @throws Misuse when it cannot be loaded. */
export async function importModule(path: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    const module: Readonly<Record<string, unknown>> = await import(pathToFileURL(resolve(path)).href);
    return module;
  } catch (error) {
    throw new Misuse(`${path} cannot be loaded: ${error instanceof Error ? error.message : "unknown error"}`);
  }
}

/** The upcasts of the message types that a module exports. @throws Misuse when it exports none. */
export async function upcastsOf(path: string | undefined): Promise<SubjectUpcast | undefined> {
  if (path === undefined) return undefined;
  const types = Object.values(await importModule(path)).filter(isMessageType);
  if (types.length === 0) throw new Misuse(`${path} exports no message type of defineMessage`);
  return upcastBy(types);
}
