/**
 * The rest of a value (in the rendering with `$` objects) once a serializer has written it: two values that are the
 * same here are the same bytes.
 */
export function asWritten(family: string, value: unknown): unknown {
  const write = writers[family];
  return write === undefined ? value : written(value, write);
}

type Write = (value: Readonly<Record<string, unknown>>) => unknown;

const writers: Readonly<Record<string, Write>> = {
  nbfx: (value) => (value["$double"] === "-0" ? 0 : value),
  // Structs without public members are empty elements; null is what stands for them here.
  xmlserializer: (value) => ("$duration" in value || "$version" in value ? null : value),
  dcjson: jsonOf,
};

function written(value: unknown, write: Write): unknown {
  if (Array.isArray(value)) return value.map((item) => written(item, write));
  if (!isObject(value)) return value;
  const scalar = write(value);
  if (scalar !== value) return scalar;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, written(member, write)]));
}

/** DataContractJsonSerializer's text of a scalar; other objects as they are. */
function jsonOf(value: Readonly<Record<string, unknown>>): unknown {
  for (const tag of ["$int64", "$decimal"]) if (tag in value) return Number(value[tag]);
  for (const tag of ["$guid", "$char", "$duration"]) if (tag in value) return value[tag];
  if ("$bytes" in value) return [...Buffer.from(String(value["$bytes"]), "base64")];
  return "$dateTime" in value ? dateOf(value) : value;
}

/** UTC milliseconds; a time of no kind is taken for a local one and gets its zone's offset. */
function dateOf({ $dateTime, kind, ticks }: Readonly<Record<string, unknown>>): string {
  const clock = BigInt(String(ticks)) / 10_000n - 62_135_596_800_000n;
  if (kind === "utc") return `\\/Date(${clock})\\/`;
  const shown = /([+-])(\d\d):(\d\d)$/.exec(String($dateTime));
  const minutes =
    shown === null ? madridOffset(clock) : Number(`${shown[1]}1`) * (Number(shown[2]) * 60 + Number(shown[3]));
  return `\\/Date(${clock - BigInt(minutes) * 60_000n}, ${minutes})\\/`;
}

/** Where the fixtures were written; summer time from March to October will do for them. */
function madridOffset(clock: bigint): number {
  const month = new Date(Number(clock)).getUTCMonth() + 1;
  return month > 3 && month < 11 ? 120 : 60;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
