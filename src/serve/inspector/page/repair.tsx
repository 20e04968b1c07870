import type { RepairAnswer, RepairInit, SessionAnswer, StoryAnswer } from "../api.ts";
import { oneLine } from "../../../core/values/visible-text.ts";
import { postJson, reasonOf } from "./api-client.ts";
import { type JSX, useEffect, useMemo, useState, type TargetedInputEvent } from "./preact.ts";
import { type RepairDraft, draftOf, repairOf, textOfDraft } from "./repair-draft.ts";
import { RedrivePanel } from "./redrive-panel.tsx";
import { cutText, lineDiff, prettyJson } from "./text.ts";
import { Attempts, Versions } from "./verdicts.tsx";

interface RepairProps {
  readonly entity: string;
  readonly story: StoryAnswer;
  readonly session: SessionAnswer;
}

/** Milliseconds after the last change before the chain is asked. */
const patience = 250;

/** Changes a message, shows at once what the chain would say, and sends it back. */
export function Repair({ entity, story, session }: RepairProps): JSX.Element {
  const before = useMemo(() => draftOf(story), [story]);
  const [draft, setDraft] = useState(before);
  const [verdict, setVerdict] = useState<RepairAnswer | undefined>(undefined);
  const [problem, setProblem] = useState("");
  const [sending, setSending] = useState(false);
  const change = (changes: Partial<RepairDraft>): void => setDraft({ ...draft, ...changes });
  const repair = useMemo((): RepairInit | string => repairOf(before, draft), [before, draft]);
  const { sequenceNumber } = story.row;
  useEffect(() => {
    if (typeof repair === "string") {
      setProblem(repair);
      return undefined;
    }
    const leaving = new AbortController();
    const judge = async (): Promise<void> => {
      try {
        const body = { entity, sequence: sequenceNumber, repair };
        const answer = await postJson<RepairAnswer>("verdict", body, leaving.signal);
        setVerdict(answer);
        setProblem("");
      } catch (error) {
        if (!leaving.signal.aborted) setProblem(reasonOf(error));
      }
    };
    const timer = setTimeout(() => void judge(), patience);
    return () => {
      clearTimeout(timer);
      leaving.abort();
    };
  }, [repair, entity, sequenceNumber]);
  const isChanged = typeof repair !== "string" && Object.keys(repair).length > 0;
  const diff = isChanged ? lineDiff(textOfDraft(before), textOfDraft(draft)) : [];
  return (
    <div class="repair">
      <div class="fields">
        <label>
          Content type
          <input
            list="content-types"
            value={draft.contentType}
            onInput={(event: TargetedInputEvent<HTMLInputElement>) =>
              change({ contentType: event.currentTarget.value })
            }
          />
        </label>
        <datalist id="content-types">
          {session.codecs.map(
            ({ name, contentType }) => contentType !== null && <option key={name} value={contentType} label={name} />,
          )}
        </datalist>
        <label>
          {draft.kind === "body" ? "Body, as a value" : "Payload, as text in UTF-8"}
          <textarea
            rows={8}
            value={draft.text}
            spellcheck={false}
            disabled={draft.kind === "bytes"}
            onInput={(event: TargetedInputEvent<HTMLTextAreaElement>) => change({ text: event.currentTarget.value })}
          />
        </label>
        <label>
          Application properties
          <textarea
            rows={3}
            value={draft.properties}
            spellcheck={false}
            onInput={(event: TargetedInputEvent<HTMLTextAreaElement>) =>
              change({ properties: event.currentTarget.value })
            }
          />
        </label>
      </div>
      <div aria-live="polite" class="verdict">
        <h3>
          The chain would say:{" "}
          {verdict === undefined ? (
            "…"
          ) : verdict.verdict.ok ? (
            <span class="good">read by {verdict.verdict.codec}</span>
          ) : (
            <span class="bad">{verdict.verdict.error?.code}</span>
          )}
        </h3>
        {problem !== "" && <p class="bad">{oneLine(problem)}</p>}
        {verdict !== undefined && !verdict.verdict.ok && (
          <Attempts attempts={verdict.verdict.attempts} problem={verdict.verdict.error?.message} />
        )}
        {verdict?.verdict.body !== undefined && <pre tabIndex={0}>{cutText(prettyJson(verdict.verdict.body))}</pre>}
        {verdict !== undefined && <Versions versions={verdict.versions} />}
        {diff.length > 0 && (
          <pre class="diff" aria-label="Changes" tabIndex={0}>
            {diff.map(({ kind, text }, index) => (
              <div key={index} class={kind}>
                {kind === "same" ? "  " : kind === "added" ? "+ " : "- "}
                {oneLine(text)}
              </div>
            ))}
          </pre>
        )}
      </div>
      <div class="bar">
        {isChanged && (
          <button type="button" onClick={() => setDraft(before)}>
            Undo the changes
          </button>
        )}
        <button type="button" class="main" disabled={problem !== ""} onClick={() => setSending(true)}>
          Send {isChanged ? "the repaired message" : "it"} back…
        </button>
      </div>
      {sending && typeof repair !== "string" && (
        <RedrivePanel
          entity={entity}
          session={session}
          selection={{ sequenceNumbers: [sequenceNumber] }}
          meant={`#${sequenceNumber}${isChanged ? ", repaired" : ""}`}
          repair={isChanged ? repair : undefined}
          onClose={() => setSending(false)}
        />
      )}
    </div>
  );
}
