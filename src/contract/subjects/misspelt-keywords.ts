import { schemaKeywords, schemaMapKeywords } from "../json-schema/dialect.ts";
import { isObject } from "../json-schema/json-value.ts";
import { escapeToken } from "../json-schema/schema-document.ts";
import type { Subject } from "./subject.ts";
import { type SubjectFinding, subjectFinding } from "./subject-changes.ts";

/**
 * Warnings about unknown keywords of JSON Schemas that are spelt nearly like a known one, e.g. `propertes`: such a keyword
 * checks nothing. The newest version of each subject is looked at.
 */
export function misspeltKeywords(subjects: readonly Subject[]): readonly SubjectFinding[] {
  return subjects.flatMap(({ name: subject, versions, ignore }) => {
    const newest = versions.at(-1);
    if (newest?.format !== "json-schema" || ignore.includes(code)) return [];
    return unknownKeywords(newest.schema).map(({ pointer, keyword, meant }) =>
      subjectFinding({
        subject,
        code,
        severity: "warning",
        message: `${newest.file}#${pointer}: \`${keyword}\` is not a keyword of JSON Schema and checks nothing. It looks like \`${meant}\`.`,
        repair: `Write \`${meant}\`, or begin a keyword of your own with \`x-\`.`,
        file: newest.file,
      }),
    );
  });
}

const code = "keyword-misspelt";

interface UnknownKeyword {
  readonly pointer: string;
  readonly keyword: string;
  /** The known keyword that is nearest. */
  readonly meant: string;
}

function unknownKeywords(root: unknown): readonly UnknownKeyword[] {
  const found: UnknownKeyword[] = [];
  const visit = (schema: unknown, pointer: string): void => {
    if (Array.isArray(schema)) schema.forEach((item, at) => visit(item, `${pointer}/${at}`));
    if (!isObject(schema)) return;
    for (const [keyword, value] of Object.entries(schema)) {
      const path = `${pointer}/${escapeToken(keyword)}`;
      const meant = knownKeywords.has(keyword) ? undefined : nearest(keyword);
      if (meant !== undefined) found.push({ pointer: path, keyword, meant });
      // The meaning of a misspelt keyword decides what is a schema inside it.
      const meaning = meant ?? keyword;
      if (schemaKeywords.includes(meaning)) visit(value, path);
      if (schemaMapKeywords.includes(meaning) && isObject(value))
        for (const [name, inner] of Object.entries(value)) visit(inner, `${path}/${escapeToken(name)}`);
    }
  };
  visit(root, "");
  return found;
}

const otherKeywords = `
  $anchor $comment $dynamicAnchor $dynamicRef $id $recursiveAnchor $recursiveRef $ref $schema
  $vocabulary const contentEncoding contentMediaType default dependentRequired deprecated description
  discriminator enum example examples exclusiveMaximum exclusiveMinimum externalDocs format id
  maxContains maximum maxItems maxLength maxProperties minContains minimum minItems minLength
  minProperties multipleOf nullable pattern readOnly required title type uniqueItems writeOnly
`;

const knownKeywords: ReadonlySet<string> = new Set([
  ...schemaKeywords,
  ...schemaMapKeywords,
  ...otherKeywords.trim().split(/\s+/),
]);

/** The known keyword from which a name differs by one or two letters, only by case, or by a missing `$`. */
function nearest(name: string): string | undefined {
  if (/^x-/i.test(name)) return undefined;
  const most = name.length < 6 ? 1 : 2;
  const near = Array.from(knownKeywords, (keyword) => ({
    keyword,
    far: distance(name.toLowerCase(), keyword.toLowerCase()),
  }));
  return near.filter(({ far }) => far <= most).toSorted((a, b) => a.far - b.far)[0]?.keyword;
}

/** The number of letters to add, remove, replace or swap with the next one to get from one word to another. */
function distance(from: string, to: string): number {
  if (Math.abs(from.length - to.length) > 2) return Infinity;
  let before: readonly number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let row = 1; row <= from.length; row++) {
    const next = [row];
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      next.push(
        Math.min(
          (last[column] ?? 0) + 1,
          (next[column - 1] ?? 0) + 1,
          (last[column - 1] ?? 0) + (isSame ? 0 : 1),
          isSwapped ? (before[column - 2] ?? 0) + 1 : Infinity,
        ),
      );
    }
    before = last;
    last = next;
  }
  return last.at(-1) ?? Infinity;
}
