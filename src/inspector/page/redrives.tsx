import type { JobAnswer, JobFact, JobsAnswer, RedriveOutcome, SessionAnswer } from "../api.ts";
import { oneLine } from "../visible-text.ts";
import { postJson, reasonOf } from "./api-client.ts";
import { useAnswer } from "./hooks.ts";
import { type JSX, useState } from "./preact.ts";
import { addressOf } from "./router.ts";
import { counted, timeText } from "./text.ts";

const interval = 500;

const guarantees: Readonly<Record<JobFact["guarantee"], string>> = {
  transaction: "Each is sent and removed in one transaction: none is ever in both places, nor sent twice.",
  duplicateDetection:
    "The target detects duplicates: a message that is sent twice with its id arrives once, and one whose id it has seen before not at all.",
  sendThenComplete:
    "Each is sent, then removed: if the connection fails in between, one message may be in both places.",
};

/** The re-drives of this server. */
export function Redrives(): JSX.Element {
  const { answer, problem } = useAnswer<JobsAnswer>("redrives", {}, 2000);
  return (
    <main>
      <h1>Re-drives</h1>
      {problem !== undefined && <p class="empty">{problem}</p>}
      {answer?.jobs.length === 0 && <p class="empty">Nothing has been sent back since the server started.</p>}
      <ul class="jobs">
        {answer?.jobs.map((job) => (
          <li key={job.id}>
            <a href={addressOf({ view: "redrive", id: job.id })}>
              {timeText(job.startedAt)} {oneLine(job.from)}
            </a>{" "}
            {job.dryRun ? "dry run, " : ""}
            {job.state}: {counted(job.sent, "message")} sent{job.failed > 0 ? `, ${job.failed} failed` : ""}
          </li>
        ))}
      </ul>
    </main>
  );
}

/** One re-drive, with the outcome of each message. */
export function Redrive({ id, session }: { readonly id: string; readonly session: SessionAnswer }): JSX.Element {
  const { answer, problem, reload } = useAnswer<JobAnswer>(`redrives/${id}`, {}, interval);
  const [said, setSaid] = useState("");
  const act = (action: "cancel" | "resume"): void => {
    postJson<JobFact>(`redrives/${id}/${action}`, {}).then(reload, (error: unknown) => setSaid(reasonOf(error)));
  };
  if (problem !== undefined) return <p class="empty">{problem}</p>;
  if (answer === undefined) return <p class="quiet">Loading…</p>;
  const { from, to, dryRun, state, guarantee, sent, failed, doubled, seen, why, outcomes } = answer;
  const isRunning = state === "running";
  return (
    <main>
      <div class="bar">
        <h1>{dryRun ? "Dry run" : "Re-drive"}</h1>
        <span class={state === "done" || isRunning ? "badge" : "badge warn"} role="status">
          {state}
        </span>
        {isRunning && <progress aria-label="Progress" />}
        {isRunning && session.changes && (
          <button type="button" onClick={() => act("cancel")}>
            Cancel after the current message
          </button>
        )}
        {!isRunning && state !== "done" && session.changes && (
          <button type="button" class="main" onClick={() => act("resume")}>
            Go on with those that are left
          </button>
        )}
      </div>
      <p>
        From <b>{oneLine(from)}</b> to <b>{oneLine(to ?? "where they came from")}</b>: {counted(sent, "message")} sent,{" "}
        {failed} failed, {doubled} sent but not removed, of {seen} looked at.
      </p>
      {why !== "" && <p class="bad">{oneLine(why)}</p>}
      <p class="quiet">{guarantees[guarantee]} It goes on when this page is closed.</p>
      <p role="status">{said}</p>
      <div class="scroll" tabIndex={0} role="region" aria-label="Outcomes">
        <table>
          <thead>
            <tr>
              <th scope="col">Message</th>
              <th scope="col">Outcome</th>
            </tr>
          </thead>
          <tbody>{outcomes.map(outcomeRow)}</tbody>
        </table>
        {sent + failed + doubled > outcomes.length && (
          <p class="quiet">The first {outcomes.length.toLocaleString("en")} outcomes are shown.</p>
        )}
      </div>
      <p>
        <a
          href={addressOf({ view: "entity", path: from.replace(/\/\$DeadLetterQueue$/i, ""), tab: "dead", filter: {} })}
        >
          Back to the dead letters
        </a>
      </p>
    </main>
  );
}

const outcomeRow = ({ sequenceNumber, messageId, outcome, message }: RedriveOutcome): JSX.Element => (
  <tr key={`${sequenceNumber} ${outcome}`}>
    <th scope="row">
      #{sequenceNumber} {oneLine(messageId ?? "without id")}
    </th>
    <td class={outcome === "sent" ? "good" : "bad"}>
      {outcome}
      {message === null ? "" : `: ${oneLine(message)}`}
    </td>
  </tr>
);
