/** XML 1.0 section 2.2: what may not stand in a document, not even as a reference. */
// oxlint-disable-next-line no-control-regex -- control characters are the point
export const forbidden: RegExp = /[\0-\x08\v\f\x0e-\x1f\ufffe\uffff]/;

const entities: ReadonlyMap<string, string> = new Map([
  ["lt;", "<"],
  ["gt;", ">"],
  ["amp;", "&"],
  ["quot;", '"'],
  ["apos;", "'"],
]);

/** The character that a reference stands for, without its `&`; or `undefined` for one that XML does not have. */
export function referred(reference: string): string | undefined {
  const entity = entities.get(reference);
  if (entity !== undefined) return entity;
  const [, hex, decimal] = /^#(?:x([0-9A-Fa-f]{1,8})|(\d{1,8}));$/.exec(reference) ?? [];
  if (hex === undefined && decimal === undefined) return undefined;
  const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
  if (code > 0x10_ffff || (code >= 0xd800 && code <= 0xdfff)) return undefined;
  const character = String.fromCodePoint(code);
  return forbidden.test(character) ? undefined : character;
}
