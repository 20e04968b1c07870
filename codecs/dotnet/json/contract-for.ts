import { type Contract, nameText, type ObjectShape, type ResolvedShape } from "../data-contract/shape.ts";
import { jsonKind, type JsonTape } from "./json-tape.ts";
import { typeOf } from "./map-json.ts";

/**
 * The one contract with a class that a JSON object is of, that class its root; `undefined` where several fit or none.
 *
 * DataContractJsonSerializer writes every member of a class, null or not, but those with `EmitDefaultValue = false`.
 */
export function contractFor(tape: JsonTape, contracts: readonly Contract[]): Contract | undefined {
  if (tape.kind(0) !== jsonKind.object || contracts.length === 0) return undefined;
  const type = typeOf(tape, 0);
  const names = new Set(tape.names(0).filter((name) => name !== "__type"));
  const fitting = new Map<string, Contract>();
  for (const contract of contracts) {
    for (const shape of [contract.root, ...contract.known.values()]) {
      if (shape.kind !== "object") continue;
      const name = nameText(shape.name);
      const fits = type === undefined ? hasMembers(shape, names) : nameText(type) === name;
      // A contract of its own tells more of a class than one that only needs it.
      if (fits && (!fitting.has(name) || contract.root === shape)) fitting.set(name, rooted(contract, shape));
    }
  }
  const [only, ...more] = fitting.values();
  return more.length === 0 ? only : undefined;
}

function rooted(contract: Contract, root: ResolvedShape): Contract {
  return contract.root === root ? contract : { ...contract, root };
}

function hasMembers({ members, byName }: ObjectShape, names: ReadonlySet<string>): boolean {
  return (
    names.size > 0 &&
    [...names].every((name) => byName.has(name)) &&
    members.every(({ name, omitDefault }) => omitDefault || names.has(name))
  );
}
