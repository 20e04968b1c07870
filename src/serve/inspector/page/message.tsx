import type { SectionFact, SessionAnswer, StoryAnswer, TimelineEvent } from "../api.ts";
import { oneLine } from "../../../core/values/visible-text.ts";
import { useAnswer } from "./hooks.ts";
import { type ComponentChildren, type JSX, useState } from "./preact.ts";
import { Purge } from "./purge.tsx";
import { Repair } from "./repair.tsx";
import { Related } from "./related.tsx";
import { Attempts, Versions } from "./verdicts.tsx";
import { addressOf } from "./router.ts";
import { codeOf, fixtureOf } from "./snippets.ts";
import { bytesOf, counted, cutText, hexLines, prettyJson, sizeText, timeText } from "./text.ts";

interface MessageProps {
  readonly entity: string;
  readonly sequence: string;
  readonly session: SessionAnswer;
}

/** Bytes of the hex dump. */
const maxDumpedBytes = 4096;

/** Rows of a section. */
const maxRows = 500;

/** Everything about one message. */
export function Message({ entity, sequence, session }: MessageProps): JSX.Element {
  const [asked, setAsked] = useState(false);
  const {
    answer: story,
    problem,
    reload,
  } = useAnswer<StoryAnswer>("message", {
    entity,
    sequence,
    body: asked ? "1" : undefined,
  });
  const path = entity.replace(/\/\$DeadLetterQueue$/i, "");
  const isDead = path !== entity;
  const back = addressOf({ view: "entity", path, tab: isDead ? "dead" : "messages", filter: {} });
  if (problem !== undefined) return <Gone problem={problem} back={back} />;
  if (story === undefined) return <p class="empty">Loading…</p>;
  const { row, verdict, recorded, failure, versions } = story;
  return (
    <main class="story">
      <p>
        <a href={back} class="back">
          ← {oneLine(path)}
        </a>
      </p>
      <div class="bar">
        <h1>
          #{row.sequenceNumber} <span class="id">{oneLine(row.messageId ?? "without id")}</span>
        </h1>
        {row.reason !== "" && <span class="badge warn">{oneLine(row.reason)}</span>}
        <span class={verdict.ok ? "badge ok" : "badge warn"}>
          {verdict.ok ? `read by ${verdict.codec}` : "not read"}
        </span>
      </div>
      {row.description !== "" && <Description text={row.description} />}
      {failure !== null && <p class="bad">The last handler failed: {oneLine(failure)}</p>}
      <div class="columns">
        <div class="stack">
          <div class="beside">
            <Part title="Body">
              <Body story={story} onAsk={() => setAsked(true)} />
            </Part>
            {story.payload !== null && (
              <Part title={`Bytes: ${sizeText(row.sizeInBytes)}`}>
                <Hex bytes={bytesOf(story.payload)} size={row.sizeInBytes} />
              </Part>
            )}
          </div>
          <div class="beside even">
            <Part title="Every attempt">
              <Attempts attempts={verdict.attempts} problem={verdict.error?.message} />
            </Part>
            {recorded !== null && (
              <Part title="Attempts of the consumer that dead-lettered it">
                <Attempts attempts={recorded.attempts} problem={recorded.code} />
              </Part>
            )}
            {versions.length > 0 && (
              <Part title="Which schema version reads it">
                <Versions versions={versions} />
              </Part>
            )}
          </div>
          {isDead && !session.redacted && (!story.hidden || asked) && (
            <Part title="Repair">
              <Repair entity={entity} story={story} session={session} />
            </Part>
          )}
          {story.sections.length > 0 && (
            <Part title="AMQP, section by section">
              {story.sections.map((section) => (
                <Section key={section.start} section={section} />
              ))}
            </Part>
          )}
        </div>
        <div class="stack">
          <Part title="Properties">
            <Properties title="Broker properties" properties={story.brokerProperties} />
            <Properties title="Application properties" properties={story.applicationProperties} />
          </Part>
          <Part title="Timeline">
            <ol class="timeline">{story.timeline.map(timelineItem)}</ol>
            {story.related.length > 0 && (
              <Related
                entities={isDead ? [path, entity] : [entity, `${entity}/$DeadLetterQueue`]}
                everywhere={session.mayList}
                related={story.related}
                own={{ entity, sequence }}
              />
            )}
          </Part>
          {story.payload !== null && (
            <Part title="Copy">
              {bytesOf(story.payload).length < row.sizeInBytes ? (
                <p class="quiet">It is too large to be copied. Export it with the list.</p>
              ) : (
                <>
                  <Copy title="as code" text={codeOf(story)} />
                  <Copy title="as a test fixture" text={fixtureOf(story)} />
                </>
              )}
            </Part>
          )}
          {isDead && session.changes && (
            <Part title="Delete">
              <Purge
                entity={entity}
                selection={{ sequenceNumbers: [sequence] }}
                meant={`#${sequence}`}
                onChanged={reload}
              />
            </Part>
          )}
        </div>
      </div>
    </main>
  );
}

/** Characters of a description that are shown at first. */
const maxShortDescription = 240;

function Description({ text }: { readonly text: string }): JSX.Element {
  if (text.length <= maxShortDescription) return <p class="bad">{oneLine(text)}</p>;
  return (
    <details class="bad">
      <summary>{oneLine(text.slice(0, maxShortDescription))}…</summary>
      {oneLine(text.slice(maxShortDescription))}
    </details>
  );
}

function Gone({ problem, back }: { readonly problem: string; readonly back: string }): JSX.Element {
  return (
    <main class="narrow">
      <p class="empty">{problem}</p>
      <p>
        <a href={back}>Back to the list</a>
      </p>
    </main>
  );
}

interface PartProps {
  readonly title: string;
  readonly children?: ComponentChildren;
}

function Part({ title, children }: PartProps): JSX.Element {
  return (
    <section class="part" aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

function Body({ story, onAsk }: { readonly story: StoryAnswer; readonly onAsk: () => void }): JSX.Element {
  const { hidden, verdict, row } = story;
  if (hidden)
    return (
      <button type="button" onClick={onAsk}>
        Show the body; this is noted in the audit
      </button>
    );
  if (!verdict.ok) return <p class="bad">Nothing could read it.</p>;
  if (verdict.body === undefined)
    return <p class="quiet">{row.sizeInBytes === 0 ? "It is empty." : (verdict.error?.message ?? "It is empty.")}</p>;
  return (
    <>
      {verdict.typeName !== null && <p class="quiet">{oneLine(verdict.typeName)}</p>}
      <pre tabIndex={0}>{cutText(prettyJson(verdict.body))}</pre>
      {verdict.warnings.map((warning) => (
        <p key={warning} class="quiet">
          {oneLine(warning)}
        </p>
      ))}
    </>
  );
}

interface PropertiesProps {
  readonly title: string;
  readonly properties: Readonly<Record<string, unknown>>;
}

function Properties({ title, properties }: PropertiesProps): JSX.Element {
  const entries = Object.entries(properties);
  if (entries.length === 0) return <p class="quiet">No {title.toLowerCase()}.</p>;
  return (
    <dl aria-label={title}>
      {entries.map(([name, value]) => (
        <div key={name}>
          <dt>{oneLine(name)}</dt>
          <dd>{typeof value === "string" ? oneLine(value.slice(0, 2000)) : prettyJson(value)}</dd>
        </div>
      ))}
    </dl>
  );
}

const timelineItem = ({ time, what }: TimelineEvent): JSX.Element => (
  <li key={what}>
    <time>{time === null ? "" : timeText(time)}</time>
    {oneLine(what)}
  </li>
);

function Hex({ bytes, size }: { readonly bytes: Uint8Array; readonly size: number }): JSX.Element {
  const lines = hexLines(bytes, maxDumpedBytes);
  const left = size - Math.min(bytes.length, maxDumpedBytes);
  return (
    <>
      <pre class="hex" tabIndex={0}>
        {lines.map(({ offset, hex, text }) => `${offset}  ${hex.padEnd(47)}  ${text}`).join("\n")}
      </pre>
      {left > 0 && <p class="quiet">{counted(left, "byte")} more</p>}
    </>
  );
}

function Section({ section: { name, start, end, rows } }: { readonly section: SectionFact }): JSX.Element {
  return (
    <details open={name === "properties" || name === "applicationProperties"}>
      <summary>
        {name} <span class="quiet">{counted(end - start, "byte")}</span>
      </summary>
      <div class="scroll" tabIndex={0} role="region" aria-label={`Section ${name}`}>
        <table class="section">
          <tbody>
            {rows.slice(0, maxRows).map(({ offset, depth, label, type, text }) => (
              <tr key={`${offset} ${depth}`}>
                <td class="quiet">{offset.toString(16).padStart(6, "0")}</td>
                <td>
                  {"\u00a0\u00a0".repeat(Math.max(0, depth - 1))}
                  {oneLine(label)}
                </td>
                <td class="quiet">{type}</td>
                <td>{oneLine(text.slice(0, 500))}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rows.length > maxRows && <p class="quiet">{counted(rows.length - maxRows, "row")} more</p>}
    </details>
  );
}

function Copy({ title, text }: { readonly title: string; readonly text: string }): JSX.Element {
  const [said, setSaid] = useState("");
  const copy = (): void => {
    navigator.clipboard.writeText(text).then(
      () => setSaid("copied"),
      () => setSaid("Select the text and copy it."),
    );
  };
  return (
    <details>
      <summary>{title}</summary>
      <button type="button" onClick={copy}>
        Copy {title}
      </button>{" "}
      <span role="status">{said}</span>
      <pre tabIndex={0}>{cutText(text)}</pre>
    </details>
  );
}
