/** The text of an instant as by Java's `Instant.toString`: no decimals, or 3, 6 or 9. */
export function instantText(epochSecond: bigint, nanos: number): string {
  const fraction = nanos === 0 ? "" : `.${`${nanos}`.padStart(9, "0").replace(/(?:000){1,2}$/, "")}`;
  return `${clockText(epochSecond)}${fraction}Z`;
}

const secondsPerDay = 86_400n;

/** `2024-02-29T12:34:56` of seconds since 1970; years of more than four digits have a sign, as Java writes them. */
function clockText(epochSecond: bigint): string {
  const second = ((epochSecond % secondsPerDay) + secondsPerDay) % secondsPerDay;
  const day = (epochSecond - second) / secondsPerDay;
  const clock = [second / 3600n, (second / 60n) % 60n, second % 60n].map((part) => two(Number(part))).join(":");
  return `${dateOfDay(day)}T${clock}`;
}

/** The proleptic Gregorian date of a day counted from 1970-01-01, by whole 400-year cycles. */
function dateOfDay(day: bigint): string {
  const cycleDays = 146_097n;
  const cycle = ((day % cycleDays) + cycleDays) % cycleDays;
  const date = new Date(Number(cycle) * 86_400_000);
  const year = ((day - cycle) / cycleDays) * 400n + BigInt(date.getUTCFullYear());
  return dateText(year, date.getUTCMonth() + 1, date.getUTCDate());
}

/** `2024-02-29`; years of more than four digits have a sign. */
export function dateText(year: bigint | number, month: number, day: number): string {
  return `${yearText(year)}-${two(month)}-${two(day)}`;
}

/** A year with at least four digits. */
export function yearText(year: bigint | number): string {
  const size = BigInt(year) < 0n ? -BigInt(year) : BigInt(year);
  const digits = `${size}`.padStart(4, "0");
  return BigInt(year) < 0n ? `-${digits}` : digits.length > 4 ? `+${digits}` : digits;
}

/** `08:30:00`, with as many decimals as needed. */
export function timeText(hour: number, minute: number, second: number, nano: number): string {
  const fraction = nano === 0 ? "" : `.${`${nano}`.padStart(9, "0").replace(/0+$/, "")}`;
  return `${two(hour)}:${two(minute)}:${two(second)}${fraction}`;
}

/** `+01:00`, with seconds if they are not zero; `Z` for zero. */
export function offsetText(totalSeconds: number): string {
  if (totalSeconds === 0) return "Z";
  const size = Math.abs(totalSeconds);
  const seconds = size % 60 === 0 ? "" : `:${two(size % 60)}`;
  return `${totalSeconds < 0 ? "-" : "+"}${two(Math.floor(size / 3600))}:${two(Math.floor(size / 60) % 60)}${seconds}`;
}

export function two(value: number): string {
  return `${value}`.padStart(2, "0");
}
