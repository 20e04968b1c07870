/** Tells code from which of several calls it was started, also after it has waited. */
export interface AsyncScope {
  run<T>(store: object, body: () => T): T;
  getStore(): unknown;
}

/** The one of Node (`AsyncLocalStorage`); browsers have none, and there everything seems to come from outside. */
export const asyncScope: AsyncScope = nodeScope() ?? { run: (_store, body) => body(), getStore: () => undefined };

function nodeScope(): AsyncScope | undefined {
  const process: unknown = Reflect.get(globalThis, "process");
  const getBuiltinModule = member(process, "getBuiltinModule");
  if (typeof getBuiltinModule !== "function") return undefined;
  const hooks: unknown = Reflect.apply(getBuiltinModule, process, ["node:async_hooks"]);
  const storage = member(hooks, "AsyncLocalStorage");
  const made: unknown = typeof storage === "function" ? Reflect.construct(storage, []) : undefined;
  return isScope(made) ? made : undefined;
}

function member(holder: unknown, name: string): unknown {
  return typeof holder === "object" && holder !== null ? Reflect.get(holder, name) : undefined;
}

function isScope(made: unknown): made is AsyncScope {
  return typeof member(made, "run") === "function" && typeof member(made, "getStore") === "function";
}
