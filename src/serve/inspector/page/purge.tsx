import type { MessageSelection, PurgeFact } from "../api.ts";
import { getJson, postJson, reasonOf } from "./api-client.ts";
import { type JSX, useEffect, useState, type TargetedInputEvent } from "./preact.ts";
import { purgeKey } from "./purge-key.ts";
import { counted } from "./text.ts";

/** Seconds in which a deletion can be undone before it begins. */
const grace = 5;

/** Milliseconds between two looks at a deletion. */
const interval = 250;

interface PurgeProps {
  readonly entity: string;
  /** The messages to delete. Default: all. */
  readonly selection?: MessageSelection | undefined;
  /** A description of those messages. */
  readonly meant?: string | undefined;
  readonly onChanged: () => void;
}

/** Deletes messages of an entity, and shows how far a deletion is even when other messages are selected meanwhile. */
export function Purge({ entity, selection, meant = "every message", onChanged }: PurgeProps): JSX.Element {
  const [job, setJob] = useState<PurgeFact | undefined>(undefined);
  const [said, setSaid] = useState("");
  const failed = (error: unknown): void => {
    setJob(undefined);
    setSaid(reasonOf(error));
  };
  const begin = async (): Promise<void> => setJob(await postJson("purge", { entity, name: entity, selection }));
  const look = async (id: string): Promise<void> => {
    const seen = await getJson<PurgeFact>(`purges/${id}`);
    if (seen.state === "running") {
      setJob(seen);
      return;
    }
    setJob(undefined);
    setSaid(endOf(seen));
    onChanged();
  };
  useEffect(() => {
    if (job === undefined) return undefined;
    const timer = setTimeout(() => void look(job.id).catch(failed), interval);
    return () => clearTimeout(timer);
  }, [job]);
  if (job === undefined)
    return (
      <>
        <Confirmation
          key={purgeKey(entity, selection)}
          entity={entity}
          meant={meant}
          title={`Delete ${selection === undefined ? "all" : meant}…`}
          onSaid={setSaid}
          onConfirmed={() => void begin().catch(failed)}
        />
        <p role="status">{said}</p>
      </>
    );
  return (
    <div class="bar" role="status">
      <progress aria-label="Deleting" />
      <span>{deletedIn(job)}…</span>
      <button type="button" onClick={() => void postJson<PurgeFact>(`purges/${job.id}/cancel`, {}).catch(failed)}>
        Cancel; what is deleted stays deleted
      </button>
    </div>
  );
}

interface ConfirmationProps {
  readonly entity: string;
  readonly meant: string;
  readonly title: string;
  readonly onSaid: (said: string) => void;
  readonly onConfirmed: () => void;
}

type PurgeStep =
  | { readonly step: "idle" }
  | { readonly step: "typing"; readonly typed: string }
  | { readonly step: "waiting"; readonly seconds: number };

/** Confirms a deletion once the entity's name was typed, after a pause in which that can be undone. */
function Confirmation({ entity, meant, title, onSaid, onConfirmed }: ConfirmationProps): JSX.Element {
  const [now, setNow] = useState<PurgeStep>({ step: "idle" });
  useEffect(() => {
    if (now.step !== "waiting") return undefined;
    const { seconds } = now;
    const timer = setTimeout(() => {
      setNow(seconds > 1 ? { step: "waiting", seconds: seconds - 1 } : { step: "idle" });
      if (seconds <= 1) onConfirmed();
    }, 1000);
    return () => clearTimeout(timer);
  }, [now]);
  switch (now.step) {
    case "typing":
      return (
        <form
          onSubmit={(event: Event) => {
            event.preventDefault();
            setNow({ step: "waiting", seconds: grace });
          }}
        >
          <label>
            This deletes {meant} in {entity}. Type this path to go on.
            <input
              value={now.typed}
              onInput={({ currentTarget: { value } }: TargetedInputEvent<HTMLInputElement>) =>
                setNow({ step: "typing", typed: value })
              }
            />
          </label>
          <button type="submit" class="danger" disabled={now.typed !== entity}>
            Delete {meant} in {entity}
          </button>
        </form>
      );
    case "waiting":
      return (
        <div class="bar" role="status">
          <span>Deleting begins in {counted(now.seconds, "second")}.</span>
          <button
            type="button"
            class="main"
            onClick={() => {
              setNow({ step: "idle" });
              onSaid("Nothing was deleted.");
            }}
          >
            Undo
          </button>
        </div>
      );
    default:
      return (
        <button
          type="button"
          class="danger"
          onClick={() => {
            setNow({ step: "typing", typed: "" });
            onSaid("");
          }}
        >
          {title}
        </button>
      );
  }
}

const deletedIn = ({ deleted, entity }: PurgeFact): string => `${counted(deleted, "message")} deleted in ${entity}`;

function endOf(job: PurgeFact): string {
  if (job.state === "done") return `${deletedIn(job)}.`;
  return job.state === "cancelled" ? `Cancelled: ${deletedIn(job)}.` : `${job.why} Before that, ${deletedIn(job)}.`;
}
