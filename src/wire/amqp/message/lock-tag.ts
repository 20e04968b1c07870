import { lockToken, type LockToken } from "../../../core/engine/delivery.ts";

/** The position of each byte of a uuid's text in .NET's form, whose first three groups are byte-swapped. */
const order = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15] as const;

/** The positions of the two digits of each byte in the text. */
const digits = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34] as const;

/** The delivery tag of a lock token: its uuid as the 16 bytes of a .NET Guid. */
export function tagOf(token: LockToken): Uint8Array {
  const tag = new Uint8Array(16);
  writeTag(token, tag, 0);
  return tag;
}

/** Writes the delivery tag of a lock token to 16 bytes from `start` on. */
export function writeTag(token: LockToken, bytes: Uint8Array, start: number): void {
  const uuid = uuidOf(token);
  for (let index = 0; index < 16; index++) bytes[start + (order[index] ?? 0)] = uuid[index] ?? 0;
}

/** Writes the uuid of a lock token to 16 bytes from `start` on, in the order of its text. */
export function putUuid(bytes: Uint8Array, start: number, token: LockToken): void {
  bytes.set(uuidOf(token), start);
}

/** The last token read and its bytes: a delivery has them in its tag and again in its annotations. */
let lastToken: LockToken | undefined;
const lastUuid = new Uint8Array(16);

function uuidOf(token: LockToken): Uint8Array {
  if (token === lastToken) return lastUuid;
  for (let index = 0; index < 16; index++) {
    const at = digits[index] ?? 0;
    lastUuid[index] = (digit(token.charCodeAt(at)) << 4) | digit(token.charCodeAt(at + 1));
  }
  lastToken = token;
  return lastUuid;
}

/** The lock token that a delivery tag of 16 bytes stands for. */
export function tokenOf(tag: Uint8Array): LockToken {
  const octet = (place: number): string => octets[tag[place] ?? 0] ?? "";
  const first = octet(3) + octet(2) + octet(1) + octet(0);
  const middle = `${octet(5)}${octet(4)}-${octet(7)}${octet(6)}-${octet(8)}${octet(9)}`;
  return lockToken(`${first}-${middle}-${octet(10)}${octet(11)}${octet(12)}${octet(13)}${octet(14)}${octet(15)}`);
}

/** The two digits of each byte: every message that is received needs sixteen of them. */
const octets: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

function digit(unit: number): number {
  return unit < 0x40 ? unit - 0x30 : (unit & 0x1f) + 9;
}
