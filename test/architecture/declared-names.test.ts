import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { sources } from "./imports.support.ts";

interface DeclaredName {
  readonly name: string;
  readonly file: string;
  readonly isType: boolean;
  readonly isExported: boolean;
}

const declarations: readonly DeclaredName[] = sources.flatMap((file) => {
  const text = readFileSync(new URL(`../../${file}`, import.meta.url), "utf8");
  const statement = /^(export )?(?:declare |abstract |async )*(interface|type|class|function\*?|const|let) ([$\w]+)/gm;
  return Array.from(text.matchAll(statement), ([, exported, kind = "", name = ""]) => {
    return { name, file, isType: /interface|type|class/.test(kind), isExported: exported !== undefined };
  });
});

/** The names that several of some declarations have, and their files. */
function shared(of: readonly DeclaredName[]): readonly string[] {
  const byName = Map.groupBy(of, ({ name }) => name);
  return Array.from(byName).flatMap(([name, all]) => {
    const files = new Set(all.map(({ file }) => file));
    return files.size > 1 && all.some(({ isExported }) => isExported) ? [`${name}: ${[...files].join(", ")}`] : [];
  });
}

describe("a name at the top of a module", () => {
  it("is of one type only, if it is an exported type", () => {
    const types = declarations.filter(({ isType }) => isType);

    expect(types.length).toBeGreaterThan(1000);
    expect(shared(types)).toEqual([]);
  });

  it("says its noun", () => {
    const vague =
      /^(?:Place|Members|Draft|Reading|Outcome|Told|textOf|none|wrong|most|checks|of|all|any|both|few|given|known|nothing|one|plain|together)$/;
    // Limits are max… and min….
    const isVague = (name: string): boolean => vague.test(name) || /^(?:most|deepest|longest|fewest)[A-Z]/.test(name);

    expect(declarations.filter(({ name }) => isVague(name)).map(({ name, file }) => `${name}: ${file}`)).toEqual([]);
  });
});
