/** A package.json, as far as it is looked at here. */
type Json = Readonly<Record<string, unknown>>;

/** Fields that only this repository needs. */
const ours = new Set(["private", "scripts", "devDependencies", "allowScripts"]);
/** The condition under which this repository runs its sources. */
const sourceCondition = "sobre-source";

/**
 * Makes the published package.json from that of the repository: without scripts and development dependencies, and without
 * any condition or mapping into the sources.
 */
export function publishedManifest(manifest: unknown): Json {
  const kept = Object.entries(objectOf(manifest)).filter(([name]) => !ours.has(name));
  const published = kept.map(([name, value]): readonly [string, unknown] => {
    if (name === "bin") return [name, { sobre: "./dist/cli/main.js" }];
    if (name === "exports") return [name, withoutSources(objectOf(value))];
    if (name === "browser") return [name, withoutMappings(objectOf(value))];
    return [name, value];
  });
  return Object.fromEntries(published);
}

/** The modules that bundlers for browsers swap, and those that they take instead. */
export function swappedModules(manifest: Json): readonly string[] {
  return Object.entries(objectOf(manifest["browser"]))
    .flat()
    .filter((path) => typeof path === "string");
}

/** The modules that people import, by their paths below `dist`, where `*` is any name. */
export function publishedModules(manifest: Json): readonly string[] {
  return Object.values(objectOf(manifest["exports"]))
    .filter((target) => typeof target === "object")
    .map((target) => String(objectOf(target)["default"]).replace("./dist/", ""));
}

function withoutSources(exports: Json): Json {
  const entries = Object.entries(exports).map(([path, target]): readonly [string, unknown] => {
    if (typeof target === "string") return [path, target];
    const conditions = Object.entries(objectOf(target)).filter(([condition]) => condition !== sourceCondition);
    return [path, Object.fromEntries(conditions)];
  });
  return Object.fromEntries(entries);
}

function withoutMappings(browser: Json): Json {
  return Object.fromEntries(Object.entries(browser).filter(([from]) => from.startsWith("./dist/")));
}

function objectOf(value: unknown): Json {
  if (typeof value !== "object" || value === null) throw new Error("package.json has a field of another form.");
  return Object.fromEntries(Object.entries(value));
}
