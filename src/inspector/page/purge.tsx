import type { MessageSelection, PurgeFact } from "../api.ts";
import { getJson, postJson, reasonOf } from "./api-client.ts";
import { type JSX, useEffect, useState, type TargetedInputEvent } from "./preact.ts";
import { counted } from "./text.ts";

/** Seconds in which a deletion can be undone before it begins. */
const grace = 5;

/** Milliseconds between two looks at a deletion. */
const interval = 250;

interface PurgeProps {
  readonly entity: string;
  /** The messages to delete. Default: all. */
  readonly selection?: MessageSelection | undefined;
  /** Those messages in words. */
  readonly meant?: string | undefined;
  readonly onChanged: () => void;
}

type Step =
  | { readonly step: "idle"; readonly said: string }
  | { readonly step: "typing"; readonly typed: string }
  | { readonly step: "waiting"; readonly seconds: number }
  | { readonly step: "deleting"; readonly job: PurgeFact };

/** Deletes messages of an entity once its name was typed, after a pause in which that can be undone. */
export function Purge({ entity, selection, meant = "every message", onChanged }: PurgeProps): JSX.Element {
  const [now, setNow] = useState<Step>({ step: "idle", said: "" });
  const failed = (error: unknown): void => setNow({ step: "idle", said: reasonOf(error) });
  const begin = async (): Promise<void> => {
    setNow({ step: "deleting", job: await postJson<PurgeFact>("purge", { entity, name: entity, selection }) });
  };
  const look = async (id: string): Promise<void> => {
    const job = await getJson<PurgeFact>(`purges/${id}`);
    if (job.state === "running") {
      setNow({ step: "deleting", job });
      return;
    }
    setNow({ step: "idle", said: endOf(job) });
    onChanged();
  };
  useEffect(() => {
    if (now.step === "waiting") {
      const { seconds } = now;
      const next = (): void => {
        if (seconds > 1) setNow({ step: "waiting", seconds: seconds - 1 });
        else begin().catch(failed);
      };
      const timer = setTimeout(next, 1000);
      return () => clearTimeout(timer);
    }
    if (now.step === "deleting") {
      const timer = setTimeout(() => void look(now.job.id).catch(failed), interval);
      return () => clearTimeout(timer);
    }
    return undefined;
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
          <button type="button" class="main" onClick={() => setNow({ step: "idle", said: "Nothing was deleted." })}>
            Undo
          </button>
        </div>
      );
    case "deleting":
      return (
        <div class="bar" role="status">
          <progress aria-label="Deleting" />
          <span>{counted(now.job.deleted, "message")} deleted…</span>
          <button
            type="button"
            onClick={() => void postJson<PurgeFact>(`purges/${now.job.id}/cancel`, {}).catch(failed)}
          >
            Cancel; what is deleted stays deleted
          </button>
        </div>
      );
    default:
      return (
        <>
          <button type="button" class="danger" onClick={() => setNow({ step: "typing", typed: "" })}>
            Delete {selection === undefined ? "all" : meant}…
          </button>
          <p role="status">{now.said}</p>
        </>
      );
  }
}

function endOf({ state, deleted, why }: PurgeFact): string {
  const done = `${counted(deleted, "message")} deleted`;
  if (state === "done") return `${done}.`;
  return state === "cancelled" ? `Cancelled: ${done}.` : `${why} Before that, ${done}.`;
}
