/** A check as ajv calls it; it leaves its errors on itself. */
interface Check {
  (wanted: boolean, items: readonly unknown[]): boolean;
  errors?: { readonly keyword: string; readonly message: string; readonly params: object }[];
}

/** Where two items are equal. */
interface Duplicate {
  readonly i: number;
  readonly j: number;
}

const validate: Check = (wanted, items) => {
  const duplicate = wanted ? findDuplicate(items) : undefined;
  if (duplicate === undefined) return true;
  const { i, j } = duplicate;
  const message = `must NOT have duplicate items (items ## ${i} and ${j} are identical)`;
  validate.errors = [{ keyword: "uniqueItems", message, params: { i, j } }];
  return false;
};

/** The keyword `uniqueItems` in time linear to the items, where ajv's own compares every object with every other. */
export const uniqueItems: {
  readonly keyword: string;
  readonly type: "array";
  readonly schemaType: "boolean";
  readonly errors: "full";
  readonly validate: Check;
} = { keyword: "uniqueItems", type: "array", schemaType: "boolean", errors: "full", validate };

function findDuplicate(items: readonly unknown[]): Duplicate | undefined {
  const seen = new Map<unknown, number>();
  for (let i = 0; i < items.length; i++) {
    const key = keyOf(items[i]);
    const j = seen.get(key);
    if (j !== undefined) return { i: j, j: i };
    seen.set(key, i);
  }
  return undefined;
}

/** The same for equal items: text for what is made of others, the item itself for anything else. */
function keyOf(item: unknown): unknown {
  return typeof item === "object" && item !== null ? JSON.stringify(sorted(item)) : scalarKey(item);
}

/** Integers are equal as numbers, however they are held; strings are marked, so that none looks like another item. */
function scalarKey(item: unknown): unknown {
  if (typeof item === "string") return `"${item}`;
  return typeof item === "bigint" || typeof item === "number" ? `#${String(item === 0 ? 0 : item)}` : item;
}

/** The value with its members in one order, and scalars as their keys. */
function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null)
    return typeof value === "boolean" ? value : (scalarKey(value) ?? null);
  if (Array.isArray(value)) return value.map(sorted);
  // Values that JSON lacks hold their content outside members.
  if (value instanceof Date) return { date: value.getTime() };
  if (value instanceof Map) return { map: [...value].map(([key, member]) => [sorted(key), sorted(member)]) };
  if (ArrayBuffer.isView(value)) return { [value.constructor.name]: bytesOf(value).join() };
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return { object: entries.map(([name, member]) => [name, sorted(member)]) };
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
