import type { Constants } from "./constants.ts";
import { attributeNamed, type DeclaredType } from "./declared-type.ts";

/** The hints of an enumeration: its names on the wire, and those of C# and XmlSerializer where they differ. */
export function enumHints(
  type: DeclaredType,
  constants: Constants,
  note: (line: number, message: string) => void,
): Readonly<Record<string, unknown>> {
  const isContract = attributeNamed(type, "DataContract") !== undefined;
  const values = constants.enumOf(type);
  const members: [string, number | string][] = [];
  const clr: [string, number | string][] = [];
  const xml: [string, number | string][] = [];
  for (const member of type.enumMembers) {
    const number = values.get(member.name) ?? 0n;
    if (BigInt.asIntN(64, number) !== number && BigInt.asUintN(64, number) !== number) {
      note(member.line, `${member.name} has a value of more than 64 bits`);
      continue;
    }
    const value =
      BigInt(Number(number)) === number && Number.isSafeInteger(Number(number)) ? Number(number) : `${number}`;
    clr.push([member.name, value]);
    const named = attributeNamed(member, "EnumMember");
    const given = isContract && named ? constants.argument(named, type, "Value") : undefined;
    if (!isContract || named !== undefined) members.push([typeof given === "string" ? given : member.name, value]);
    const written = attributeNamed(member, "XmlEnum");
    const own = written && constants.argument(written, type, "Name", 0);
    if (typeof own === "string") xml.push([own, value]);
  }
  const differs = xml.length > 0 || members.length < clr.length || members.some(([name], at) => name !== clr[at]?.[0]);
  return {
    members: Object.fromEntries(members),
    ...(differs ? { clrMembers: Object.fromEntries([...clr, ...xml]) } : {}),
    ...(attributeNamed(type, "Flags") === undefined ? {} : { flags: true }),
  };
}
