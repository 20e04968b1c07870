import type { ContentType } from "../../../src/core/content-type/content-type.ts";
import { parameter } from "../../../src/core/content-type/parameter.ts";
import { SobreError } from "../../../src/core/errors/sobre-error.ts";
import { typeNameOf } from "../../../src/core/values/annotations.ts";
import { type Contract, nameOf, nameText, type ObjectShape, type ResolvedShape } from "../data-contract/shape.ts";
import { runtimeScalar } from "./runtime-type.ts";
import { isAny, isMembers } from "./write-document.ts";

/**
 * The contract by which a body is written, with its type as the root; `undefined` for a scalar of its own type.
 *
 * The type is named by the content-type parameter `messageType`, or by the body itself; otherwise it is the root of the
 * only contract, or the only class with exactly the members of the body.
 *
 * @throws SobreError `UnsupportedValue` if no contract has the named type, or none or several fit the body.
 */
export function contractFor(
  body: unknown,
  contracts: readonly Contract[],
  contentType: ContentType | undefined,
): Contract | undefined {
  const named = contentType && parameter(contentType, "messageType");
  if (named !== undefined) return contractNamed(named, contracts);
  const [only, ...others] = contracts;
  const isOnly = only !== undefined && others.length === 0 && !isAny(only.root);
  if (only === undefined || isOnly) return only;
  const own = typeNameOf(body);
  const annotated = own === undefined ? undefined : rootedIn(contracts, (shape) => nameTextOf(shape) === own);
  if (annotated !== undefined) return annotated;
  if (body === null || runtimeScalar(body) !== undefined) return undefined;
  const fitting = distinct(contracts, (shape) => shape.kind === "object" && isMembers(body) && hasExactly(shape, body));
  const [first, ...more] = fitting;
  if (first !== undefined && more.length === 0) return first;
  const found = more.length === 0 ? "fits none" : `fits ${fitting.length} types`;
  throw unnamed(`The value at $ ${found} of the contracts`, contracts);
}

function contractNamed(name: string, contracts: readonly Contract[]): Contract {
  const isNamed = (shape: ResolvedShape): boolean =>
    nameTextOf(shape) === name ||
    nameOf(shape)?.local === name ||
    ((shape.kind === "object" || shape.kind === "enum") && shape.clrName === name);
  const found = distinct(contracts, isNamed);
  const [first, ...more] = found;
  if (first !== undefined && more.length === 0) return first;
  throw unnamed(`${found.length === 0 ? "No contract has" : "Several contracts have"} the type ${name}`, contracts);
}

function unnamed(problem: string, contracts: readonly Contract[]): SobreError {
  const shapes = contracts.flatMap(({ root, known }) => [root, ...known.values()]);
  const all = [...new Set(shapes.map((shape) => nameOf(shape)?.local ?? "").filter((name) => name !== ""))];
  const shown = all.length > maxNames ? [...all.slice(0, maxNames), "…"] : all;
  const advice = "Name one by the content-type parameter messageType";
  return new SobreError("UnsupportedValue", `${problem}. ${advice}: ${shown.join(", ")}`, { path: "$" });
}

function nameTextOf(shape: ResolvedShape): string {
  const name = nameOf(shape);
  return name === undefined ? "" : nameText(name);
}

/** More names of types are left out of messages. */
const maxNames = 12;

/** The contracts with a type as their root, one for each name; a contract whose own root it is comes first. */
function distinct(contracts: readonly Contract[], is: (shape: ResolvedShape) => boolean): readonly Contract[] {
  const found = new Map<string, Contract>();
  for (const contract of contracts) {
    for (const shape of [contract.root, ...contract.known.values()]) {
      const name = nameTextOf(shape);
      if (name === "" || !is(shape) || (found.has(name) && contract.root !== shape)) continue;
      found.set(name, { ...contract, root: shape });
    }
  }
  return [...found.values()];
}

function rootedIn(contracts: readonly Contract[], is: (shape: ResolvedShape) => boolean): Contract | undefined {
  return distinct(contracts, is)[0];
}

function hasExactly({ members, byName }: ObjectShape, body: Readonly<Record<string, unknown>>): boolean {
  const names = Object.keys(body);
  return (
    names.length > 0 &&
    names.every((name) => byName.has(name)) &&
    members.every(({ name, omitDefault }) => omitDefault || Object.hasOwn(body, name))
  );
}
