/** The formats that are asserted, each with its test; `undefined` when formats are annotations. */
export type FormatTests = ReadonlyMap<string, (text: string) => boolean>;

/** Whether `text` has the format; `undefined` for formats without a test. */
export function hasFormat(tests: FormatTests, name: string, text: string): boolean | undefined {
  return tests.get(name)?.(text);
}

/** No format is asserted. */
export const noFormats: FormatTests = new Map();

/** The formats that `formats: "assertion"` asserts; every other format stays an annotation. */
export const assertedFormats: FormatTests = new Map<string, (text: string) => boolean>([
  ["date", isDate],
  ["date-time", (text) => /^[^Tt ]+[Tt ]/.test(text) && isDate(text.slice(0, 10)) && isTime(text.slice(11))],
  ["time", isTime],
  ["duration", (text) => /^P(?!$)(\d+W|(\d+Y)?(\d+M)?(\d+D)?(T(?=\d)(\d+H)?(\d+M)?(\d+S)?)?)$/.test(text)],
  ["email", (text) => text.length <= 254 && /^[^\s@"(),:;<>[\\\]]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*$/.test(text)],
  ["hostname", isHostname],
  ["ipv4", (text) => /^(\d{1,3}\.){3}\d{1,3}$/.test(text) && text.split(".").every(isOctet)],
  ["ipv6", isIpv6],
  ["uri", (text) => /^[A-Za-z][A-Za-z0-9+.-]*:/.test(text) && URL.canParse(text) && !/[\s"<>\\^`{|}]/.test(text)],
  ["uuid", (text) => /^[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$/.test(text)],
  ["json-pointer", (text) => /^(\/([^~/]|~[01])*)*$/.test(text)],
]);

/** Strings that have one of the formats, and strings that have none; tried where a format decides. */
export const formatSamples: readonly string[] = [
  ...["2026-01-31", "2026-01-31T12:30:00Z", "12:30:00Z", "P1D", "a@b.example", "example.org", "10.0.0.1", "::1"],
  ...["https://example.org/a", "6ba7b810-9dad-11d1-80b4-00c04fd430c8", "/a/0", "", "?", "not one"],
];

function isDate(text: string): boolean {
  const [all, year = "", month = "", day = ""] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? [];
  if (all === undefined || Number(month) < 1 || Number(month) > 12 || Number(day) < 1) return false;
  return Number(day) <= new Date(Date.UTC(2000 + (Number(year) % 400), Number(month), 0)).getUTCDate();
}

function isTime(text: string): boolean {
  const [all, hour = "", minute = "", second = ""] =
    /^(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:[Zz]|[+-](?:[01]\d|2[0-3]):?[0-5]\d)$/.exec(text) ?? [];
  return all !== undefined && Number(hour) < 24 && Number(minute) < 60 && Number(second) < 60;
}

function isHostname(text: string): boolean {
  return text.length <= 253 && /^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$/.test(text);
}

function isOctet(text: string): boolean {
  return Number(text) <= 255 && (text === "0" || !text.startsWith("0"));
}

function isIpv6(text: string): boolean {
  return text.includes(":") && !text.includes("%") && URL.canParse(`http://[${text}]/`);
}
