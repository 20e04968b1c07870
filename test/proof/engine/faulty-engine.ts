import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";
import type { Fault } from "./faults.ts";
import type { MakeEngine } from "./world.ts";

const root = new URL("../../../src/", import.meta.url).href;
/** The folders whose modules an engine with a mistake has to itself. */
const folders = [`${root}broker/memory/`, `${root}broker/policy/`, `${root}core/engine/`];
const parameter = /\?fault=(\d+)$/;
/** Every fault that an engine was made with; its index is in the addresses of its modules. */
const known: Fault[] = [];
let hooked = false;

/** The memory engine with one mistake in it: its own copy of the engine's modules, one of them changed on the way in. */
export async function faultyEngine(fault: Fault): Promise<MakeEngine> {
  hook();
  const { memoryEngine }: { readonly memoryEngine: MakeEngine } = await import(
    `${root}broker/memory/index.ts?fault=${known.push(fault) - 1}`
  );
  return memoryEngine;
}

function hook(): void {
  if (hooked) return;
  hooked = true;
  registerHooks({
    resolve(specifier, context, next) {
      const resolved = next(specifier, context);
      const [query] = parameter.exec(context.parentURL ?? "") ?? [];
      const own = folders.some((folder) => resolved.url.startsWith(folder)) && !resolved.url.includes("?");
      return query !== undefined && own ? { ...resolved, url: `${resolved.url}${query}` } : resolved;
    },
    load(url, context, next) {
      const loaded = next(url, context);
      const fault = known[Number(parameter.exec(url)?.[1] ?? -1)];
      if (fault === undefined || !folders.some((folder) => url.startsWith(`${folder}${fault.file}?`))) return loaded;
      const source = sourceOf(loaded.source, url);
      // Another folder may have a file of the same name.
      return source.includes(fault.find) ? { ...loaded, source: mistaken(source, fault) } : loaded;
    },
  });
}

/** A source with a mistake in it. @throws where it has not one place for it. */
export function mistaken(source: string, { name, file, find, replace }: Fault): string {
  const parts = source.split(find);
  if (parts.length !== 2)
    throw new Error(`The fault "${name}" has ${parts.length - 1} places in ${file}, and needs one.`);
  return parts.join(replace);
}

/** The text of a module that was loaded. */
export function sourceOf(source: unknown, url: string): string {
  if (typeof source === "string") return source;
  if (source instanceof Uint8Array) return new TextDecoder().decode(source);
  throw new Error(`${fileURLToPath(url)} has no source.`);
}
