import type { PurgeFact } from "../api.ts";
import { getJson, postJson, reasonOf } from "./api-client.ts";
import { type JSX, useEffect, useState, type TargetedInputEvent } from "./preact.ts";
import { counted } from "./text.ts";

/** Seconds in which a deletion can be undone before it begins. */
const grace = 5;

/** Milliseconds between two looks at a deletion. */
const interval = 250;

interface PurgeProps {
  readonly entity: string;
  readonly onChanged: () => void;
}

type Step =
  | { readonly step: "idle"; readonly said: string }
  | { readonly step: "typing"; readonly typed: string }
  | { readonly step: "waiting"; readonly seconds: number }
  | { readonly step: "deleting"; readonly job: PurgeFact };

/** Deletes every message of an entity once its name was typed, after a pause in which that can be undone. */
export function Purge({ entity, onChanged }: PurgeProps): JSX.Element {
  const [now, setNow] = useState<Step>({ step: "idle", said: "" });
  const failed = (error: unknown): void => setNow({ step: "idle", said: reasonOf(error) });
  const begin = async (): Promise<void> => {
    setNow({ step: "deleting", job: await postJson<PurgeFact>("purge", { entity, name: entity }) });
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
            This deletes every message of {entity}. Type its name to go on.
            <input
              value={now.typed}
              onInput={({ currentTarget: { value } }: TargetedInputEvent<HTMLInputElement>) =>
                setNow({ step: "typing", typed: value })
              }
            />
          </label>
          <button type="submit" class="danger" disabled={now.typed !== entity}>
            Delete every message of {entity}
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
            Delete all…
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
