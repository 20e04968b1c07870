import type { JobAnswer, JobFact, JobsAnswer, RedriveOutcome, SessionAnswer } from "../api.ts";
import { oneLine } from "../visible-text.ts";
import { postJson, reasonOf } from "./api-client.ts";
import { useAnswer } from "./hooks.ts";
import { type JSX, useState } from "./preact.ts";
import { addressOf } from "./router.ts";
import { TableHead } from "./table-head.tsx";
import { timeText } from "./text.ts";

const interval = 500;

const guarantees: Readonly<Record<JobFact["guarantee"], string>> = {
  transaction: "Each message is sent and removed in one transaction: none is ever in both places, nor sent twice.",
  duplicateDetection:
    "Each message is sent, then removed. The target detects duplicates: a message whose id it has seen lately does not arrive. What was being sent when the server ended is not sent again.",
  sendThenComplete:
    "Each message is sent, then removed. If the connection fails in between, one message may be in both places. What was being sent when the server ended is not sent again.",
};

const targetOf = ({ to, broker }: JobFact): string =>
  `${oneLine(to ?? "where they came from")}${broker === null ? "" : ` on ${oneLine(broker)}`}`;

const columns = ["Started", "From", "To", "State", "Sent", "Failed"] as const;

/** The re-drives of this server. */
export function Redrives(): JSX.Element {
  const { answer, problem } = useAnswer<JobsAnswer>("redrives", {}, 2000);
  return (
    <main>
      <div class="bar">
        <h1>Re-drives</h1>
        <span class="quiet">They go on when this page is closed.</span>
      </div>
      {problem !== undefined && <p class="empty">{problem}</p>}
      {answer?.jobs.length === 0 && (
        <p class="empty">Nothing has been sent back yet. Choose dead letters of a queue, then “Re-drive”.</p>
      )}
      {answer !== undefined && answer.jobs.length > 0 && (
        <div class="scroll card" tabIndex={0} role="region" aria-label="Re-drives">
          <table class="jobs">
            <TableHead columns={columns} numbers={["Sent", "Failed"]} />
            <tbody>
              {answer.jobs.map((job) => (
                <tr key={job.id}>
                  <th scope="row">
                    <a href={addressOf({ view: "redrive", id: job.id })}>{timeText(job.startedAt)}</a>
                  </th>
                  <td>{oneLine(job.from)}</td>
                  <td>{targetOf(job)}</td>
                  <td>
                    <State job={job} />
                  </td>
                  <td class="number">{job.dryRun ? `would be ${job.sent}` : job.sent}</td>
                  <td class={job.failed > 0 ? "number bad" : "number"}>{job.failed}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </main>
  );
}

function State({ job: { state, dryRun } }: { readonly job: JobFact }): JSX.Element {
  const kind = state === "done" ? "badge ok" : state === "running" ? "badge" : "badge warn";
  return (
    <span class={kind} role="status">
      {dryRun ? `dry run ${state}` : state}
    </span>
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
  if (answer === undefined) return <p class="empty">Loading…</p>;
  const { from, dryRun, state, guarantee, total, sent, failed, doubled, inDoubt, seen, why, outcomes } = answer;
  const isRunning = state === "running";
  const path = from.replace(/\/\$DeadLetterQueue$/i, "");
  return (
    <main>
      <p>
        <a class="back" href={addressOf({ view: "entity", path, tab: "dead", filter: {} })}>
          ← Dead letters of {oneLine(path)}
        </a>
      </p>
      <div class="bar">
        <h1>{dryRun ? "Dry run" : "Re-drive"}</h1>
        <State job={answer} />
        {isRunning && (
          <progress aria-label="Progress" {...(total !== null && { max: Math.max(total, seen), value: seen })} />
        )}
        {isRunning && session.changes && (
          <button type="button" onClick={() => act("cancel")}>
            Cancel after the current message
          </button>
        )}
        {!isRunning && state !== "done" && !dryRun && session.changes && (
          <button type="button" class="main" onClick={() => act("resume")}>
            Go on with those that are left
          </button>
        )}
      </div>
      <p>
        From <b>{oneLine(from)}</b> to <b>{targetOf(answer)}</b>
      </p>
      {why !== "" && <p class="bad">{oneLine(why)}</p>}
      <dl class="counts">
        <Count name={dryRun ? "would be sent" : "sent"} count={sent} />
        <Count name="failed" count={failed} isBad />
        {doubled > 0 && <Count name="sent, but still here" count={doubled} isBad />}
        {inDoubt > 0 && <Count name="perhaps sent" count={inDoubt} isBad />}
        <Count name={total === null ? "looked at" : `looked at, of ${total.toLocaleString("en")}`} count={seen} />
      </dl>
      {!dryRun && <p class="quiet">{guarantees[guarantee]} The re-drive goes on when this page is closed.</p>}
      <p role="status">{said}</p>
      {outcomes.length > 0 && (
        <div class="scroll card" tabIndex={0} role="region" aria-label="Outcomes">
          <table>
            <TableHead columns={["Message", "Outcome"]} />
            <tbody>{outcomes.map((outcome) => outcomeRow(outcome, dryRun))}</tbody>
          </table>
        </div>
      )}
      {sent + failed + doubled > outcomes.length && (
        <p class="quiet">The first {outcomes.length.toLocaleString("en")} outcomes are shown.</p>
      )}
    </main>
  );
}

interface CountProps {
  readonly name: string;
  readonly count: number;
  readonly isBad?: boolean;
}

const Count = ({ name, count, isBad = false }: CountProps): JSX.Element => (
  <div>
    <dd class={isBad && count > 0 ? "bad" : undefined}>{count.toLocaleString("en")}</dd>
    <dt>{name}</dt>
  </div>
);

/** Names of outcomes for people. */
const words: Readonly<Record<string, string>> = {
  doubled: "sent, but still here",
  inDoubt: "perhaps sent",
  blocked: "left here",
};

const outcomeRow = ({ sequenceNumber, messageId, outcome, message }: RedriveOutcome, dryRun: boolean): JSX.Element => (
  <tr key={`${sequenceNumber} ${outcome}`}>
    <th scope="row">
      #{sequenceNumber} {oneLine(messageId ?? "without id")}
    </th>
    <td class={outcome === "sent" ? "good" : "bad"}>
      {dryRun && outcome === "sent" ? "would be sent" : (words[outcome] ?? outcome)}
      {message === null ? "" : `: ${oneLine(message)}`}
    </td>
  </tr>
);
