/** A row of a result by the names of its columns. */
export type ResultRow = Readonly<Record<string, unknown>>;

/** Whether the driver has returned a row. */
export const isRow = (value: unknown): value is ResultRow => typeof value === "object" && value !== null;

/** A whole number; `undefined` for NULL. */
export function maybeBigint(row: ResultRow, column: string): bigint | undefined {
  const value = row[column];
  if (typeof value === "bigint") return value;
  return typeof value === "number" ? BigInt(value) : undefined;
}

/** A whole number that is not NULL. */
export const bigintOf = (row: ResultRow, column: string): bigint => maybeBigint(row, column) ?? missing(column);

/** A safe integer, e.g. a time or count; `undefined` for NULL. */
export function maybeNumber(row: ResultRow, column: string): number | undefined {
  const value = maybeBigint(row, column);
  return value === undefined ? undefined : Number(value);
}

/** A safe integer that is not NULL. */
export const numberOf = (row: ResultRow, column: string): number => maybeNumber(row, column) ?? missing(column);

/** A number that need not be whole; `undefined` for NULL. */
export function maybeReal(row: ResultRow, column: string): number | undefined {
  const value = row[column];
  return typeof value === "number" ? value : undefined;
}

/** A text; `undefined` for NULL. */
export function maybeText(row: ResultRow, column: string): string | undefined {
  const value = row[column];
  return typeof value === "string" ? value : undefined;
}

/** A text that is not NULL. */
export const textOfColumn = (row: ResultRow, column: string): string => maybeText(row, column) ?? missing(column);

/** A copy of the bytes; `undefined` for NULL. */
export function maybeBytes(row: ResultRow, column: string): Uint8Array | undefined {
  const value = row[column];
  return value instanceof Uint8Array ? new Uint8Array(value) : undefined;
}

function missing(column: string): never {
  throw new RangeError(`The column ${column} has no value of its type.`);
}
