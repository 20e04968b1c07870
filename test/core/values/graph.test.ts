import { describe, expect, it } from "vitest";
import { setMember } from "../../../src/core/values/plain-object.ts";
import { buildGraph, type GraphRules, notLeaf, planOfList } from "../../../src/core/values/graph.ts";

/** A list of others, a number, or a stand-in for another. */
interface Node {
  readonly items?: readonly Node[];
  readonly number?: number;
  readonly target?: () => Node;
}

function build(root: Node, maxDepth = 100): unknown {
  const rules: Pick<GraphRules<Node>, "leaf" | "resolve"> = {
    leaf: ({ number }) => number ?? notLeaf,
    resolve: (node) => node.target?.() ?? node,
  };
  return buildGraph<Node>(root, {
    ...rules,
    plan: ({ items = [] }) => planOfList(items, rules, ({ number }) => (number === 0 ? 3 : 1)),
    maxDepth,
    tooDeep: () => new Error("too deep"),
  });
}

describe("values of graphs", () => {
  it("hold leaves and containers in their order, and leaves that represent several", () => {
    const root = { items: [{ number: 1 }, { items: [{ number: 2 }] }, { number: 0 }, { items: [] }] };

    expect(build(root)).toEqual([1, [2], 0, 0, 0, []]);
    expect(build({ number: 7 })).toBe(7);
  });

  it("share what is shared, and end where it is cyclic", () => {
    const shared: Node = { items: [{ number: 1 }] };
    const root: Node = { items: [shared, { target: () => shared }, { target: () => root }] };

    const value = build(root);

    if (!Array.isArray(value)) throw new Error("no list");
    expect(value[0]).toEqual([1]);
    expect(value[1]).toBe(value[0]);
    expect(value[2]).toBe(value);
  });

  it("may be as deep as the limit, empty containers included", () => {
    const nested = (levels: number): Node => (levels === 1 ? { items: [] } : { items: [nested(levels - 1)] });

    expect(build(nested(3), 3)).toEqual([[[]]]);
    expect(() => build(nested(4), 3)).toThrow("too deep");
  });

  it("take no stack, however deep", () => {
    let node: Node = { number: 1 };
    for (let level = 0; level < 100_000; level++) node = { items: [node] };

    expect(build(node, Infinity)).toHaveLength(1);
  });

  it("get members of any name as their own", () => {
    const target = {};

    setMember(target, "__proto__", 1);
    setMember(target, "toString", 2);

    expect(Object.entries(target)).toEqual([
      ["__proto__", 1],
      ["toString", 2],
    ]);
    expect(Object.getPrototypeOf(target)).toBe(Object.prototype);
  });
});
