import type { CountAnswer, MessageSelection, SessionAnswer } from "../api.ts";
import { getText, postJson, reasonOf } from "./api-client.ts";
import { type JSX, useEffect, useRef, useState, type TargetedEvent } from "./preact.ts";
import { Purge } from "./purge.tsx";
import { counted, partsOf } from "./text.ts";

interface ToolsProps {
  readonly entity: string;
  /** Where an import is sent. */
  readonly target: string;
  readonly session: SessionAnswer;
  /** The selected dead letters, described by `meant`; without them, a deletion takes all. */
  readonly selection: MessageSelection | undefined;
  readonly meant: string;
  readonly onChanged: () => void;
}

/** Export, import and deletion. */
export function EntityTools({ entity, target, session, selection, meant, onChanged }: ToolsProps): JSX.Element {
  const [said, setSaid] = useState("");
  const box = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const close = ({ target: touched }: Event): void => {
      if (box.current !== null && touched instanceof Node && !box.current.contains(touched)) box.current.open = false;
    };
    addEventListener("pointerdown", close);
    return () => removeEventListener("pointerdown", close);
  }, []);
  const attempt = (work: () => Promise<string>): void => {
    work().then(setSaid, (error: unknown) => setSaid(reasonOf(error)));
  };
  return (
    <details class="tools" ref={box}>
      <summary>More</summary>
      <div class="menu">
        {!session.redacted && (
          <button type="button" onClick={() => attempt(async () => exported(entity, setSaid))}>
            Export all as a capture
          </button>
        )}
        {session.changes && (
          <label class="button">
            Import a capture into {target}
            <input
              type="file"
              accept=".ndjson,.jsonl,application/x-ndjson"
              onChange={(event: TargetedEvent<HTMLInputElement>) => {
                const [file] = event.currentTarget.files ?? [];
                if (file !== undefined)
                  attempt(async () => {
                    const count = await imported(target, await file.text(), setSaid);
                    onChanged();
                    return `${counted(count, "message")} sent to ${target}.`;
                  });
              }}
            />
          </label>
        )}
        {session.changes && (
          <Purge
            entity={entity}
            selection={selection}
            meant={selection === undefined ? undefined : meant}
            onChanged={onChanged}
          />
        )}
        <p role="status">{said}</p>
      </div>
    </details>
  );
}

/** The size of one request of an import, in characters: at most 12 MB in UTF-8. */
const importedAtOnce = 4_000_000;

/** Sends the messages of a capture; resolves to their number. */
async function imported(entity: string, lines: string, progress: (text: string) => void): Promise<number> {
  let count = 0;
  try {
    for (const part of partsOf(lines, importedAtOnce)) {
      count += (await postJson<CountAnswer>("import", { entity, lines: part })).count;
      progress(`${counted(count, "message")} sent…`);
    }
  } catch (error) {
    throw count === 0
      ? error
      : new Error(`${reasonOf(error)} ${counted(count, "message")} of earlier parts were sent.`);
  }
  return count;
}

/** Downloads every message; resolves to a sentence. */
async function exported(entity: string, progress: (text: string) => void): Promise<string> {
  const parts: string[] = [];
  let count = 0;
  for (let from = 0n; ;) {
    const part = await getText("export", { entity, from: String(from) });
    if (part === "") break;
    parts.push(part);
    const lines = part.trimEnd().split("\n");
    count += lines.length;
    progress(`${counted(count, "message")} exported…`);
    const last: { readonly delivery: { readonly sequenceNumber: { readonly $int64: string } } } = JSON.parse(
      lines.at(-1) ?? "",
    );
    from = BigInt(last.delivery.sequenceNumber.$int64) + 1n;
  }
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob(parts, { type: "application/x-ndjson" }));
  link.download = `${entity.replaceAll(/[^\w.-]+/g, "-")}.ndjson`;
  link.click();
  URL.revokeObjectURL(link.href);
  return `${counted(count, "message")} exported.`;
}
