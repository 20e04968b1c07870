import type { SessionsAnswer } from "../api.ts";
import { oneLine } from "../visible-text.ts";
import { useAnswer } from "./hooks.ts";
import type { JSX } from "./preact.ts";
import { addressOf } from "./router.ts";
import { timeText } from "./text.ts";

/** The sessions of an entity that have messages. */
export function Sessions({ path }: { readonly path: string }): JSX.Element {
  const { answer, problem } = useAnswer<SessionsAnswer>("sessions", { entity: path });
  if (problem !== undefined) return <p class="empty">{problem}</p>;
  if (answer === undefined) return <p class="quiet">Loading…</p>;
  if (answer.sessions.length === 0) return <p class="empty">No session has messages.</p>;
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Sessions">
      <table>
        <thead>
          <tr>
            <th scope="col">Session</th>
            <th scope="col">First message</th>
            <th scope="col">Enqueued</th>
          </tr>
        </thead>
        <tbody>
          {answer.sessions.map(({ sessionId, head }) => (
            <tr key={sessionId}>
              <th scope="row">
                <a href={addressOf({ view: "entity", path, tab: "messages", filter: { session: sessionId } })}>
                  {oneLine(sessionId)}
                </a>
              </th>
              <td>
                {head !== null && (
                  <a href={addressOf({ view: "message", entity: path, sequence: head.sequenceNumber })}>
                    #{head.sequenceNumber} {oneLine(head.messageId ?? "")}
                  </a>
                )}
              </td>
              <td>{head === null ? "" : timeText(head.enqueuedTimeUtc)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="quiet">
        Who holds a session, and its state, are not available from this page: only its holder may read them.
      </p>
    </div>
  );
}
