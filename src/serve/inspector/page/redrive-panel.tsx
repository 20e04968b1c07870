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
  /** A description of the messages. */
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
  const [broker, setBroker] = useState("");
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
    ...(broker !== "" && { broker }),
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
  const place = to === "" ? `where they came from (${source})` : to;
  const target = broker === "" ? place : `${place} on ${broker}`;
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
        {session.brokers.length > 0 && (
          <label>
            Broker
            <select
              value={broker}
              onChange={({ currentTarget: { value } }: TargetedEvent<HTMLSelectElement>) => setBroker(value)}
            >
              <option value="">this one</option>
              {session.brokers.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          </label>
        )}
        <Field label="Messages per second" value={rate} onInput={setRate} place="no limit" kind="decimal" />
        <label>
          Batches
          <select
            value={grows ? "grow" : ""}
            onChange={({ currentTarget: { value } }: TargetedEvent<HTMLSelectElement>) => setGrows(value === "grow")}
          >
            <option value="">all at once</option>
            <option value="grow">1, 10, 100 …; stop when they come back</option>
          </select>
        </label>
        <label>
          Message ids
          <select
            value={messageIds}
            onChange={({ currentTarget: { value } }: TargetedEvent<HTMLSelectElement>) =>
              setMessageIds(value === "keep" || value === "renew" ? value : "")
            }
          >
            <option value="">kept, if no target can drop them</option>
            <option value="keep">kept; a target that detects duplicates may drop a message</option>
            <option value="renew">new ones; no target drops a message</option>
          </select>
        </label>
      </div>
      <p class="quiet">
        Each message is sent before it leaves the dead-letter queue, without its dead-letter marks. The re-drive stops
        at the first failure and can go on later. Meanwhile it holds the dead letters before those that it looks for,
        and releases them uncounted.
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
        <span role="status">
          {found === undefined
            ? said
            : `${counted(found.sent, "message")} of ${found.seen} would be sent${found.failed > 0 ? `, ${found.failed} could not` : ""}. ${said}`}
          {found !== undefined && !session.changes && " This inspector only reads."}
        </span>
        <button type="button" class="last" onClick={onClose}>
          Close
        </button>
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
