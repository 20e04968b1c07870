import { crc32 } from "node:zlib";

/** Bits of a status that hold its check. */
const statusCheck = 2 ** 16;

/** The check of a message's row; it covers where the row belongs, and the number of the commit that wrote it, as well. */
export const messageCheck = (record: number, entity: number, row: Uint8Array, written: number): number =>
  crc32(row, (Math.imul(entity, 0x9e37_79b1) ^ record ^ Math.imul(written, 0x85eb_ca6b)) >>> 0);

/** The check of a row of small values. */
export function valuesCheck(...values: readonly (string | number | Uint8Array | null)[]): number {
  let check = 0;
  for (const value of values)
    check = crc32(value instanceof Uint8Array ? value : `${typeof value} ${String(value)}`, check);
  return check;
}

/** A status with its check, as one whole number. */
export const guardStatus = (record: number, status: number): number => status * statusCheck + checkOf(record, status);

/** The status, or `undefined` when its check says otherwise. */
export function unguardStatus(record: number, guarded: number): number | undefined {
  const status = Math.floor(guarded / statusCheck);
  return guarded >= 0 && guarded % statusCheck === checkOf(record, status) ? status : undefined;
}

function checkOf(record: number, status: number): number {
  const mixed = Math.imul(record ^ Math.imul(status, 0x85eb_ca6b), 0x9e37_79b1);
  return (mixed ^ (mixed >>> 15)) & (statusCheck - 1);
}
