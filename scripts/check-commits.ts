/**
 * Checks the messages of commits: an imperative subject of at most 72 characters, and a body that says why for more than 100
 * changed lines.
 *
 *     npm run check:commits
 */
import { commitProblems } from "./commits/commit-problems.ts";
import { commitHistory } from "./commits/history.ts";

const commits = commitHistory();
if (commits === undefined) {
  console.log("Left out: the messages of commits. There is no history here.");
} else {
  const problems = commits.flatMap((commit) =>
    commitProblems(commit).map((problem) => `${commit.hash} "${commit.subject}": ${problem}.`),
  );
  for (const problem of problems) console.error(problem);
  console.log(`${commits.length} commits read, ${problems.length} problems`);
  if (problems.length > 0) process.exitCode = 1;
}
