import type { Commit } from "./history.ts";

const longestSubject = 72;
/** A larger change needs a body that says why. */
const trivialLines = 100;

/** Verbs whose imperative ends like another form. */
const imperatives =
  /^(?:Address|Bring|Bypass|Canvas|Compress|Cross|Decompress|Discuss|Dismiss|Embed|Exceed|Express|Feed|Focus|Guess|Miss|Need|Pass|Ping|Press|Proceed|Process|Ring|Seed|Shed|Speed|String|Suppress|Witness)$/;
const notVerbs =
  /^(?:A|After|Again|All|Also|An|And|As|At|Because|Before|Both|But|By|Each|Every|For|From|If|In|Into|It|Its|More|New|No|Not|Now|Of|On|One|Only|Or|Our|Some|That|The|Their|Then|There|These|They|This|To|Two|We|When|Where|With|Without|You)$/;

/** The ways in which a commit's message breaks the rules of CONTRIBUTING.md. */
export function commitProblems({ subject, body, changedLines }: Omit<Commit, "hash">): readonly string[] {
  const problems: string[] = [];
  const [first = ""] = subject.split(" ");
  if (subject.length > longestSubject)
    problems.push(`its subject has ${subject.length} characters, and may have ${longestSubject}`);
  if (subject.endsWith(".")) problems.push("its subject ends with a full stop");
  if (!isImperative(first)) problems.push(`"${first}" is not a verb in the imperative, such as Add, Move or Refuse`);
  if (body === "" && changedLines > trivialLines)
    problems.push(`it changes ${changedLines} lines, and more than ${trivialLines} need a body that says why`);
  return problems;
}

function isImperative(word: string): boolean {
  if (!/^[A-Z][a-z]+(?:-[a-z]+)*$/.test(word) || notVerbs.test(word)) return false;
  return imperatives.test(word) || !/(?:ed|ing|[^s]s)$/.test(word);
}
