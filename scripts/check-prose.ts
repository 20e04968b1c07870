/**
 * Looks for turns of phrase that read as a translation, in comments, messages, pages, names of tests and messages of commits,
 * and says what to write instead.
 *
 *     npm run check:prose [-- FOLDER] [--lower]
 *
 * FOLDER lists the passages of a folder, e.g. `src/client`; `--lower` takes the present counts as the most from now on.
 */
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { commitHistory } from "./commits/history.ts";
import { commentsOf, messagesOf, paragraphsOf, type Passage, testNamesOf } from "./prose/passages.ts";
import { exceptions } from "./prose/exceptions.ts";

interface Habit {
  readonly name: string;
  readonly pattern: RegExp;
  readonly better: string;
}

const habits: readonly Habit[] = [
  {
    name: "opens with What",
    pattern: /^What\b(?![^.]*\?)/,
    better: "name the thing: a noun, or a verb in the third person",
  },
  {
    name: "told",
    pattern: /\b(?:told|tells?|telling)\b(?!(?: \S+){0,6} apart)/i,
    better: "reported, said, shows, distinguishes",
  },
  { name: "as for example", pattern: /[,(] as (?:[`"'“]|\w+\.[A-Z])/, better: "e.g., such as, for example" },
  {
    name: "is no",
    pattern: /(?<!\b(?:there|it|This)) (?:is|are|was|were) no (?!longer\b|more\b|different\b|less\b)/i,
    better: "is not a",
  },
  {
    name: "none of",
    pattern: /\b(?:there (?:is|are) none of|that there (?:is|are) no)\b/i,
    better: "unknown, missing",
  },
  { name: "stands", pattern: /\bstands?\b(?! for\b|-in\b| in for\b)/i, better: "is, appears" },
  { name: "give back", pattern: /\b(?:gives?|given|giving) (?:\w+ )?back\b/i, better: "release, abandon, return" },
  {
    name: "most",
    pattern: /^(?:the )?most (?:bytes|characters|elements|items|links|messages|milliseconds) (?:of|that)\b/i,
    better: "the maximum size, number or length of",
  },
  { name: "anew", pattern: /\banew\b/i, better: "again, over, re-" },
  { name: "for ever", pattern: /\bfor ever\b/i, better: "endlessly, unlimited" },
  { name: "lets through", pattern: /\blets? (?:\w+ ){0,2}through\b/i, better: "accepts" },
  { name: "in silence", pattern: /\bin silence\b/i, better: "silently" },
  { name: "take apart", pattern: /\b(?:takes?|taken|taking) (?:\S+ )?apart\b/i, better: "parse, split, the parts of" },
  { name: "bears", pattern: /\bbears?\b/i, better: "has" },
  { name: "has to be", pattern: /\b(?:has|have) to be\b/i, better: "must be" },
  { name: "beside", pattern: /\bbeside\b/i, better: "besides, next to, compared with" },
  {
    name: "behind, in an order",
    pattern:
      /(?<!\b(?:engine|broker|is|leaves?) )\bbehind (?:it|them|that|those|one another|the other|its|what)\b|(?:go(?:es)? on|right) behind\b/i,
    better: "after, next",
  },
  { name: "is none", pattern: /(?<!\bthere )\b(?:is|are) none\b/i, better: "is not one, is invalid" },
  { name: "inside of", pattern: /\binside of\b/i, better: "inside" },
  {
    name: "had better",
    pattern: /\b(?:had better|of late|to be had|so often as)\b/i,
    better: "should, recently, available",
  },
  { name: "opens with Those", pattern: /^(?:Those|That of)\b/, better: "name the thing" },
  { name: "outside of", pattern: /\boutside of\b/i, better: "outside" },
  { name: "but for", pattern: /\bbut for (?!a moment)/i, better: "except, apart from" },
  { name: "another than", pattern: /\banother than\b/i, better: "other than, differs from" },
  { name: "which there is", pattern: /\b(?:that|which) there (?:is|are) not\b/i, better: "unknown, missing" },
];

const root = fileURLToPath(new URL("..", import.meta.url));
// This one holds the patterns themselves.
const sources = globSync(["src/**/*.ts", "codecs/**/*.ts", "examples/**/*.ts", "scripts/**/*.ts"], {
  cwd: root,
}).filter((file) => file !== "scripts/check-prose.ts");
const tests = globSync("test/**/*.ts", { cwd: root, exclude: ["**/node_modules/**"] });
const pages = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", ...globSync("docs/**/*.md", { cwd: root })];

const passages = [
  ...[...sources, ...tests].flatMap((file) => commentsOf(file, readFileSync(`${root}${file}`, "utf8"))),
  ...sources.flatMap((file) => messagesOf(file, readFileSync(`${root}${file}`, "utf8"))),
  ...tests.flatMap((file) => testNamesOf(file, readFileSync(`${root}${file}`, "utf8"))),
  ...pages.flatMap((file) => paragraphsOf(file, readFileSync(`${root}${file}`, "utf8"))),
  ...commitPassages(),
];
/** Passages of a folder that are still to be rewritten; a number only shrinks. */
const budgetFile = `${root}scripts/prose/budget.json`;
const budget: Readonly<Record<string, number>> = JSON.parse(readFileSync(budgetFile, "utf8"));

const found = passages.flatMap((passage) =>
  habits.filter(({ pattern }) => pattern.test(passage.text)).map((habit) => ({ habit, passage })),
);
const isExcepted = ({ file, text }: Passage): boolean =>
  exceptions.some((exception) => exception.file === file && text.includes(exception.text));
const open = Map.groupBy(
  found.filter(({ passage }) => !isExcepted(passage)),
  ({ passage }) => folderOf(passage),
);

const wanted = process.argv.slice(2).find((argument) => !argument.startsWith("--"));
const left: Record<string, number> = {};
const problems: string[] = [];
for (const [folder, places] of open) {
  const most = budget[folder] ?? 0;
  left[folder] = Math.min(most, places.length);
  if (places.length > most && most > 0)
    problems.push(
      `${folder} has ${places.length} passages to rewrite, and may have ${most}: show them with npm run check:prose -- ${folder}`,
    );
  if ((places.length > most && most === 0) || folder === wanted)
    for (const { habit, passage } of places)
      problems.push(
        `${passage.file}:${passage.line} "${passage.text.slice(0, 100)}" (${habit.name}). Better: ${habit.better}.`,
      );
}
for (const { file, text } of exceptions)
  if (!found.some(({ passage }) => passage.file === file && passage.text.includes(text)))
    problems.push(`The exception for "${text}" in ${file} is no longer needed.`);
if (exceptions.length > 10) problems.push(`${exceptions.length} exceptions are more than 10.`);

if (process.argv.includes("--lower")) {
  const sorted = Object.entries(left).toSorted(([one], [other]) => (one < other ? -1 : 1));
  writeFileSync(budgetFile, `${JSON.stringify(Object.fromEntries(sorted), undefined, 2)}\n`);
}
for (const problem of problems) console.error(problem);
const total = Object.values(left).reduce((sum, count) => sum + count, 0);
console.log(`${passages.length} passages read, ${problems.length} problems, ${total} passages still to be rewritten`);
if (problems.length > 0) process.exitCode = 1;

/** The messages of commits, where there is a history. */
function commitPassages(): readonly Passage[] {
  return (commitHistory() ?? []).flatMap(({ hash, subject, body }) =>
    [subject, ...body.split("\n\n")]
      // A message may quote what it mends.
      .map((text, line) => ({
        file: `commit ${hash}`,
        line,
        text: text
          .replaceAll(/\s+/g, " ")
          .replaceAll(/"[^"]*"/g, "…")
          .trim(),
      }))
      .filter(({ text }) => text !== ""),
  );
}

function folderOf({ file }: Passage): string {
  return file.split("/").slice(0, 2).join("/");
}
