import type { JobAnswer, JobFact, MessageSelection, RedriveInit, RepairInit, SessionAnswer } from "../api.ts";
import { oneLine } from "../visible-text.ts";
import { getJson, postJson, reasonOf } from "./api-client.ts";
import { type JSX, useState, type TargetedEvent, type TargetedInputEvent } from "./preact.ts";
import { addressOf } from "./router.ts";
import { counted } from "./text.ts";

interface RedriveProps {
  readonly entity: string;
  readonly session: SessionAnswer;
  readonly selection: MessageSelection;
  /** The messages in words. */
  readonly meant: string;
  readonly repair?: RepairInit | undefined;
  readonly onClose: () => void;
}

/** A dry run, and what it was asked. */
interface Tried {
  readonly asked: string;
  readonly job: JobFact;
}

/** Milliseconds between two looks at a running re-drive. */
const interval = 100;

/** Asks how dead letters are to be sent back, shows what that would do, and starts it. */
export function RedrivePanel({ entity, session, selection, meant, repair, onClose }: RedriveProps): JSX.Element {
  const source = entity.replace(/\/\$DeadLetterQueue$/i, "");
  const isSubscription = /\/subscriptions\//i.test(source);
  const [to, setTo] = useState(isSubscription ? (source.split("/")[0] ?? "") : "");
  const [rate, setRate] = useState("");
  const [grows, setGrows] = useState(false);
  const [messageIds, setMessageIds] = useState<"" | "keep" | "renew">("");
  const [tried, setTried] = useState<Tried | undefined>(undefined);
  const [said, setSaid] = useState("");
  const init: RedriveInit = {
    from: entity,
    selection,
    ...(repair !== undefined && { repair }),
    ...(to !== "" && { to }),
    ...(rate !== "" && { rate: Number(rate) }),
    ...(grows && { firstBatch: 1 }),
    ...(messageIds !== "" && { messageIds }),
  };
  const asked = JSON.stringify(init);
  // What would be sent is known only for what was tried.
  const found = tried?.asked === asked ? tried.job : undefined;
  const attempt = (work: () => Promise<void>): void => {
    setSaid("");
    work().catch((error: unknown) => setSaid(reasonOf(error)));
  };
  const tryOut = async (): Promise<void> => {
    let job: JobFact & Partial<JobAnswer> = await postJson<JobFact>("redrives", { ...init, dryRun: true });
    while (job.state === "running") {
      setSaid(`${counted(job.seen, "dead letter")} looked at…`);
      await new Promise((resolve) => setTimeout(resolve, interval));
      job = await getJson<JobAnswer>(`redrives/${job.id}`);
    }
    const failure = job.outcomes?.find(({ message }) => message !== null)?.message;
    setSaid(job.state === "failed" ? job.why : oneLine(failure ?? ""));
    setTried({ asked, job });
  };
  const send = async (): Promise<void> => {
    const { id } = await postJson<JobFact>("redrives", { ...init, dryRun: false });
    location.hash = addressOf({ view: "redrive", id });
  };
  const target = to === "" ? `where they came from (${source})` : to;
  return (
    <form
      class="panel"
      aria-label="Re-drive"
      onSubmit={(event: Event) => {
        event.preventDefault();
        attempt(tryOut);
      }}
    >
      <h2>Re-drive {meant}</h2>
      <div class="fields">
        <Field label="Send to" value={to} onInput={setTo} place={isSubscription ? "a topic or queue" : source} />
        <Field label="Messages per second" value={rate} onInput={setRate} place="no limit" kind="decimal" />
        <label>
          <input type="checkbox" checked={grows} onChange={() => setGrows(!grows)} /> growing batches: 1, 10, 100 …;
          stop when they come back
        </label>
        <label>
          Message ids
          <select
            value={messageIds}
            onChange={({ currentTarget: { value } }: TargetedEvent<HTMLSelectElement>) =>
              setMessageIds(value === "keep" || value === "renew" ? value : "")
            }
          >
            <option value="">kept, unless the target detects duplicates: then nothing is sent</option>
            <option value="keep">kept; a target that detects duplicates may drop a message</option>
            <option value="renew">removed, so that no target drops a message</option>
          </select>
        </label>
      </div>
      <p class="quiet">
        Each message is sent before it leaves the dead-letter queue, and loses its dead-letter marks. It stops at the
        first failure and can go on later. While it runs it holds the dead letters before those it looks for, and
        releases them uncounted.
      </p>
      <div class="bar">
        <button type="submit" class={found === undefined ? "main" : undefined}>
          Dry run: find what would be sent
        </button>
        {found !== undefined && session.changes && found.sent > 0 && (
          <button type="button" class="main" onClick={() => attempt(send)}>
            Send {counted(found.sent, "message")} to {target} and remove {found.sent === 1 ? "it" : "them"} here
          </button>
        )}
        <button type="button" onClick={onClose}>
          Close
        </button>
        <span role="status">
          {found === undefined
            ? said
            : `${counted(found.sent, "message")} of ${found.seen} would be sent${found.failed > 0 ? `, ${found.failed} could not` : ""}. ${said}`}
          {found !== undefined && !session.changes && " This inspector only reads."}
        </span>
      </div>
    </form>
  );
}

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly place: string;
  readonly kind?: "decimal" | "text";
  readonly onInput: (value: string) => void;
}

function Field({ label, value, place, kind = "text", onInput }: FieldProps): JSX.Element {
  return (
    <label>
      {label}
      <input
        inputMode={kind}
        value={value}
        placeholder={place}
        onInput={(event: TargetedInputEvent<HTMLInputElement>) => onInput(event.currentTarget.value)}
      />
    </label>
  );
}
