/** The part that a declaration adds to the full names inside it. */
interface DeclarationScope {
  /** Empty for a declaration that full names leave out, as a oneof. */
  readonly name: string;
  /** Whether its content declares something; the braces of an option do not. */
  readonly declares: boolean;
}

const symbols = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|[\w.]+|[^\s\w]/g;
const containers = new Set(["message", "enum", "service"]);

/** The offset of the name of every message, enum, service, field, value and procedure in a .proto file, by full name. */
export function protoDeclarations(text: string): ReadonlyMap<string, number> {
  const tokens = Array.from(text.matchAll(symbols), ({ 0: symbol, index }) => ({ symbol, index })).filter(
    ({ symbol }) => !/^\/[/*]/.test(symbol),
  );
  const symbolAt = (at: number): string => tokens[at]?.symbol ?? "";
  const found = new Map<string, number>();
  const scopes: DeclarationScope[] = [];
  let packageName = "";
  let next: DeclarationScope | undefined;
  const declare = (at: number): void => {
    const path = [packageName, ...scopes.map(({ name }) => name), symbolAt(at)].filter((name) => name !== "");
    const name = path.join(".");
    if (!found.has(name)) found.set(name, tokens[at]?.index ?? 0);
  };
  for (let at = 0; at < tokens.length; at++) {
    const symbol = symbolAt(at);
    if (symbol === "{") {
      scopes.push(next ?? { name: "", declares: false });
      next = undefined;
    } else if (symbol === "}") scopes.pop();
    else if (symbol === ";") next = undefined;
    else if (scopes.at(-1)?.declares === false) continue;
    else if (symbol === "package" && scopes.length === 0) packageName = symbolAt(at + 1);
    else if (containers.has(symbol) && symbolAt(at + 2) === "{") {
      declare(at + 1);
      next = { name: symbolAt(at + 1), declares: true };
    } else if ((symbol === "oneof" || symbol === "extend") && symbolAt(at + 2) === "{")
      next = { name: "", declares: true };
    else if (symbol === "group" && symbolAt(at + 2) === "=") {
      declare(at + 1);
      next = { name: symbolAt(at + 1), declares: true };
    } else if (symbol === "rpc" && symbolAt(at + 2) === "(") declare(at + 1);
    else if (scopes.length > 0 && symbolAt(at + 1) === "=" && /^[-\d]/.test(symbolAt(at + 2))) declare(at);
  }
  return found;
}
