import { parseAst } from "vitest/node";

const annotation = "/*#__PURE__*/";

/**
 * Annotates the calls that make the constants of a file. Bundlers leave out constants that nobody uses only when they know
 * that making them does nothing else.
 */
export function withPureCalls(code: string): string {
  const program: unknown = parseAst(code);
  const constants = childrenOf(program).filter(({ type }) => type === "VariableDeclaration");
  let text = "";
  let done = 0;
  for (const at of constants.flatMap(callsIn).toSorted((a, b) => a - b)) {
    text += code.slice(done, at) + annotation;
    done = at;
  }
  return text + code.slice(done);
}

interface Node {
  readonly type: string;
  readonly start: number;
}

/** Where calls begin that run together with the file itself. */
function callsIn(node: Node): readonly number[] {
  if (/Function|Class|Await|Sequence/.test(node.type)) return [];
  const inner = childrenOf(node).flatMap(callsIn);
  const called = /^(?:Call|New)Expression$/.test(node.type) && !inner.includes(node.start);
  return called ? [node.start, ...inner] : inner;
}

function childrenOf(node: unknown): readonly Node[] {
  return Object.values(Object(node)).flat().filter(isNode);
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}
