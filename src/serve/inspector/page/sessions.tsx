import type { SessionsAnswer } from "../api.ts";
import { oneLine } from "../../../core/values/visible-text.ts";
import { useAnswer } from "./hooks.ts";
import { type JSX, useState } from "./preact.ts";
import { addressOf } from "./router.ts";
import { TableHead } from "./table-head.tsx";
import { cutText, sizeText, timeText } from "./text.ts";

type SessionFact = SessionsAnswer["sessions"][number];

/** Milliseconds between two looks at who holds what. */
const interval = 3000;

/** The sessions of an entity: who holds them, their state, and their first message. */
export function Sessions({ path, inspects }: { readonly path: string; readonly inspects: boolean }): JSX.Element {
  const [skip, setSkip] = useState(0);
  const { answer, problem } = useAnswer<SessionsAnswer>("sessions", { entity: path, skip: String(skip) }, interval);
  if (problem !== undefined) return <p class="empty">{problem}</p>;
  if (answer === undefined) return <p class="empty">Loading…</p>;
  const { sessions, next } = answer;
  const names = ["Session", ...(inspects ? ["Held by", "Until", "Messages"] : []), "First message", "Enqueued"];
  return (
    <>
      {sessions.length === 0 ? (
        <p class="empty">{inspects ? "No session has messages, a state or a holder." : "No session has messages."}</p>
      ) : (
        <div class="scroll card" tabIndex={0} role="region" aria-label="Sessions">
          <table>
            <TableHead columns={[...names, ...(inspects ? ["State"] : [])]} />
            <tbody>
              {sessions.map((session) => (
                <Session key={session.sessionId} path={path} session={session} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {(skip > 0 || next !== null) && (
        <div class="bar">
          <button type="button" disabled={skip === 0} onClick={() => setSkip(0)}>
            First sessions
          </button>
          <button type="button" disabled={next === null} onClick={() => setSkip(next ?? 0)}>
            More sessions
          </button>
        </div>
      )}
      {!inspects && <p class="quiet">Who holds a session, and its state, are not available on this engine.</p>}
    </>
  );
}

function Session({ path, session }: { readonly path: string; readonly session: SessionFact }): JSX.Element {
  const { sessionId, head, detail } = session;
  return (
    <tr>
      <th scope="row">
        <a href={addressOf({ view: "entity", path, tab: "messages", filter: { session: sessionId } })}>
          {oneLine(sessionId)}
        </a>
      </th>
      {detail !== null && (
        <>
          <td>
            {detail.holder === null ? (
              <span class="quiet">nobody</span>
            ) : (
              <b>{detail.holder === "" ? "a connection without a name" : oneLine(detail.holder)}</b>
            )}
          </td>
          <td>{detail.lockedUntilUtc === null ? "" : timeText(detail.lockedUntilUtc)}</td>
          <td class="number">{detail.messageCount}</td>
        </>
      )}
      <td>
        {head !== null && (
          <a href={addressOf({ view: "message", entity: path, sequence: head.sequenceNumber })}>
            #{head.sequenceNumber} {oneLine(head.messageId ?? "")}
          </a>
        )}
      </td>
      <td>{head === null ? "" : timeText(head.enqueuedTimeUtc)}</td>
      {detail !== null && (
        <td>
          <State detail={detail} />
        </td>
      )}
    </tr>
  );
}

function State({ detail }: { readonly detail: NonNullable<SessionFact["detail"]> }): JSX.Element {
  const { state, stateSizeInBytes: size, stateSetAtUtc: at } = detail;
  if (size === null) return <span class="quiet">none</span>;
  const when = `${sizeText(size)}${at === null ? "" : `, set ${timeText(at)}`}`;
  if (state === null) return <span class="quiet">{when}; hidden</span>;
  return (
    <details>
      <summary>{when}</summary>
      <pre tabIndex={0}>{cutText(oneLine(state))}</pre>
    </details>
  );
}
