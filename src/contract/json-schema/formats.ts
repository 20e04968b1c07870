/**
 * The meaning of `format`: none (`annotation`), a condition (`assertion`), or one or the other, so that a verdict must hold
 * for both (`either`).
 */
export type FormatPolicy = "annotation" | "assertion" | "either";

/** Formats under one policy. */
export interface FormatTests {
  readonly policy: FormatPolicy;
  /** Whether `text` has the format; `undefined` where it depends on the validator. */
  test(name: string, text: string): boolean | undefined;
}

/** The formats under a policy. */
export function formatTests(policy: FormatPolicy): FormatTests {
  return {
    policy,
    test(name, text) {
      const truth = assertedFormats.get(name)?.(text);
      return policy === "either" && truth === false ? undefined : truth;
    },
  };
}

/** `undefined` where validators differ, so that neither answer is relied on. */
type FormatTest = (text: string) => boolean | undefined;

/** The formats that have a test here; of others it is not known which strings have them. */
export const assertedFormats: ReadonlyMap<string, FormatTest> = new Map<string, FormatTest>([
  ["date", isDate],
  ["date-time", isDateTime],
  ["time", isTime],
  ["duration", (text) => /^P(?!$)(\d+W|(\d+Y)?(\d+M)?(\d+D)?(T(?=\d)(\d+H)?(\d+M)?(\d+S)?)?)$/.test(text)],
  [
    "email",
    (text) => sure(/^[a-z0-9]+([._-][a-z0-9]+)*@[a-z0-9]+(-[a-z0-9]+)*(\.[a-z]+)+$/i.test(text), !text.includes("@")),
  ],
  [
    "hostname",
    (text) => sure(text.length < 200 && /^[a-z]{3,60}(\.[a-z]{2,60})*$/i.test(text), !/^[\w.-]+$/.test(text)),
  ],
  ["ipv4", (text) => sure(/^([1-9]\d?\.){3}[1-9]\d?$/.test(text), !/^(\d{1,3}\.){3}\d{1,3}$/.test(text))],
  [
    "ipv6",
    (text) =>
      sure(/^([0-9a-f]{1,4}:){7}[0-9a-f]{1,4}$|^::1$/.test(text), !/^[0-9a-f:.%a-z]*:[0-9a-f:.%a-z]*$/i.test(text)),
  ],
  [
    "uri",
    (text) => sure(/^https?:\/\/[a-z]+(\.[a-z]+)*(\/[a-z0-9]*)*$/.test(text), !/^[a-z][a-z0-9+.-]*:/i.test(text)),
  ],
  ["uuid", isUuid],
  ["json-pointer", (text) => /^(\/([^~/]|~[01])*)*$/.test(text)],
  ["contentEncoding base64", (text) => sure(/^([A-Za-z0-9]{4})*$/.test(text), /[^A-Za-z0-9+/=\s_-]/.test(text))],
  ["contentMediaType application/json", isJson],
  ["contentMediaType image/png", (text) => sure(false, !text.startsWith("\u0089PNG"))],
  ["contentMediaType image/jpeg", (text) => sure(false, !text.startsWith("\u00ff\u00d8"))],
]);

/** draft-07 lets validators assert these as they do formats; later dialects do not. */
export const contentKeywords = ["contentEncoding", "contentMediaType"] as const;

/** Strings that have one of the formats, and strings that have none; tried where a format decides. */
export const formatSamples: readonly string[] = [
  "2026-01-31",
  "2026-01-31T12:30:00Z",
  "12:30:00Z",
  "P1D",
  "a@b.example",
  "example.org",
  "10.10.10.10",
  "::1",
  "https://example.org/a",
  "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
  "/a/0",
  "",
  "?",
  "not one",
];

function sure(has: boolean, lacks: boolean): boolean | undefined {
  return has ? true : lacks ? false : undefined;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function isUuid(text: string): boolean | undefined {
  return sure(
    /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/.test(text),
    !/^(urn:uuid:)?[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(text),
  );
}

function isDate(text: string): boolean {
  const [all, year = "", month = "", day = ""] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? [];
  if (all === undefined || Number(month) < 1 || Number(month) > 12 || Number(day) < 1) return false;
  return Number(day) <= new Date(Date.UTC(2000 + (Number(year) % 400), Number(month), 0)).getUTCDate();
}

function isTime(text: string): boolean | undefined {
  const plain = /^([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/.test(text);
  return sure(plain, !/^\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d(:?\d\d)?)?$/.test(text));
}

function isDateTime(text: string): boolean | undefined {
  if (!isDate(text.slice(0, 10))) return false;
  const time = isTime(text.slice(11));
  if (time === true && text[10] === "T") return true;
  return time === false || !/^[Tt ]$/.test(text[10] ?? "") ? false : undefined;
}
