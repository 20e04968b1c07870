/** A map whose values are never `undefined`. */
interface Memo<K, V> {
  get(key: K): V | undefined;
  set(key: K, value: V): unknown;
}

/** The value of a key, made when it is first asked for. */
export function memo<K, V extends {}>(known: Memo<K, V>, key: K, make: (key: K) => V): V {
  const value = known.get(key);
  if (value !== undefined) return value;
  const made = make(key);
  known.set(key, made);
  return made;
}
