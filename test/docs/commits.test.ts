import { describe, expect, it } from "vitest";
import { commitProblems } from "../../scripts/commits/commit-problems.ts";

describe("the check of commit messages", () => {
  it.each([
    "Move the broker's policy into one folder",
    "Pass a deadline to the store",
    "Re-read entities after an update",
  ])("accepts an imperative subject: %s", (subject) => {
    expect(commitProblems({ subject, body: "", changedLines: 100 })).toEqual([]);
  });

  it.each([
    "The broker's policy moves",
    "Moved the policy",
    "Moving the policy",
    "Moves the policy",
    "policy: move it",
  ])("refuses a subject that does not begin with an imperative: %s", (subject) => {
    const problems = commitProblems({ subject, body: "", changedLines: 1 });

    expect(problems).toEqual([expect.stringContaining("is not a verb in the imperative")]);
  });

  it("refuses subjects that are long or end with a full stop", () => {
    const problems = commitProblems({ subject: `Move ${"x".repeat(67)}.`, body: "", changedLines: 1 });

    expect(problems).toEqual(["its subject has 73 characters, and may have 72", "its subject ends with a full stop"]);
  });

  it("asks for a body where more than 100 lines change", () => {
    const commit = { subject: "Move the policy", changedLines: 101 };

    expect(commitProblems({ ...commit, body: "" })).toEqual([
      "it changes 101 lines, and more than 100 need a body that says why",
    ]);
    expect(commitProblems({ ...commit, body: "It was written twice." })).toEqual([]);
  });
});
