import { matcherOf } from "./pattern-matcher.ts";
import { type FormatLanguage, formatLanguages, smallestImages } from "./format-languages.ts";

/**
 * The meaning of `format`: none (`annotation`), a condition (`assertion`), or one or the other, so that a verdict must hold
 * for both (`either`).
 */
export type FormatPolicy = "annotation" | "assertion" | "either";

/** Formats under one policy. */
export interface FormatTests {
  readonly policy: FormatPolicy;
  /** Whether `text` has the format; `undefined` where it depends on the validator, or is not known. */
  test(name: string, text: string): boolean | undefined;
  /** The pattern of texts that surely have the format; none where it is not known. */
  inner(name: string): string | undefined;
  /** The pattern of every text that may have the format; none where any text may. */
  outer(name: string): string | undefined;
}

/** The formats under a policy. */
export function formatTests(policy: FormatPolicy): FormatTests {
  return {
    policy,
    test(name, text) {
      const truth = hasFormat(name, text);
      return policy === "either" && truth === false ? undefined : truth;
    },
    inner: (name) => formatLanguages.get(name)?.inner,
    outer: (name) => (policy === "assertion" ? formatLanguages.get(name)?.outer : undefined),
  };
}

/** Whether a text has a format; `undefined` where validators differ from each other or from the specification. */
export function hasFormat(name: string, text: string): boolean | undefined {
  const language = formatLanguages.get(name);
  return language === undefined ? undefined : isIn(language, text);
}

function isIn({ inner, outer, between }: FormatLanguage, text: string): boolean | undefined {
  if (matcherOf(inner).test(text) === true) return true;
  if (matcherOf(outer).test(text) === false) return false;
  return between?.(text);
}

/** The formats of numbers (OpenAPI 3.1, Data Types), which say nothing about a text. */
export const numberFormats: ReadonlySet<string> = new Set(["int32", "int64", "float", "double"]);

/** draft-07 lets validators assert these as they do formats; later dialects do not. */
export const contentKeywords = ["contentEncoding", "contentMediaType"] as const;

/** Strings that have one of the formats, and strings that have none; they are tried where a format matters. */
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
  ...Object.values(smallestImages),
  "",
  "?",
  "not one",
];
