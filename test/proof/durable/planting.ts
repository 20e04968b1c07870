import { registerHooks } from "node:module";
import { mistaken, sourceOf } from "../engine/faulty-engine.ts";
import type { Fault } from "../engine/faults.ts";

/** Imported before a program: plants the mistakes of the variable FAULTS in its sources, in every thread. */
const faults: readonly Fault[] = JSON.parse(process.env["FAULTS"] ?? "[]");

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    const planted = faults.filter(({ file }) => url.endsWith(`/src/broker/${file}`));
    if (planted.length === 0) return loaded;
    return { ...loaded, source: planted.reduce(mistaken, sourceOf(loaded.source, url)) };
  },
});
