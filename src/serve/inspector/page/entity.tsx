import type { FacetName, MessageRow, SessionAnswer } from "../api.ts";
import { oneLine } from "../../../core/values/visible-text.ts";
import { EntityTools } from "./entity-tools.tsx";
import { Groups } from "./groups-panel.tsx";
import { useMessages } from "./messages.ts";
import { type JSX, useEffect, useRef, useState, type TargetedInputEvent, type TargetedEvent } from "./preact.ts";
import { RedrivePanel } from "./redrive-panel.tsx";
import { addressOf, type Filter, type PagePlace, placeOf, type Tab } from "./router.ts";
import { Sessions } from "./sessions.tsx";
import { counted, sizeText, timeText } from "./text.ts";
import { VirtualList } from "./virtual-list.tsx";

type EntityPlace = Extract<PagePlace, { readonly view: "entity" }>;

const tabs: readonly (readonly [Tab, string])[] = [
  ["dead", "Dead letters"],
  ["messages", "Messages"],
  ["sessions", "Sessions"],
];

/** The address of the list of a tab. */
const listOf = ({ path, tab }: EntityPlace): string => (tab === "dead" ? `${path}/$DeadLetterQueue` : path);

interface EntityProps {
  readonly place: EntityPlace;
  readonly session: SessionAnswer;
}

/** The lists of an entity. */
export function Entity({ place, session }: EntityProps): JSX.Element {
  return (
    <main>
      <div class="bar">
        <h1>{oneLine(place.path)}</h1>
        <nav aria-label="Lists of the entity" class="tabs">
          {tabs.map(([tab, name]) => (
            <a
              key={tab}
              href={addressOf({ ...place, tab, filter: {} })}
              aria-current={tab === place.tab ? "page" : undefined}
            >
              {name}
            </a>
          ))}
        </nav>
      </div>
      {place.tab === "sessions" ? (
        <Sessions path={place.path} inspects={session.inspects} />
      ) : (
        <MessageList key={listOf(place)} place={place} session={session} />
      )}
    </main>
  );
}

function MessageList({ place, session }: EntityProps): JSX.Element {
  const entity = listOf(place);
  const { filter } = place;
  const [tail, setTail] = useState(false);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [redriving, setRedriving] = useState(false);
  const { rows, more, problem, scanned, done, restart } = useMessages(entity, filter, tail);
  const change = (changes: Filter): void => {
    // Two fields may change before the page is drawn again.
    const now = placeOf(location.hash);
    const before = now.view === "entity" ? now.filter : filter;
    location.replace(addressOf({ ...place, filter: { ...before, ...changes } }));
  };
  const toggle = (index: number): void => {
    const sequence = rows[index]?.sequenceNumber ?? "";
    const changed = new Set(selected);
    if (!changed.delete(sequence)) changed.add(sequence);
    setSelected(changed);
  };
  const choose = (name: FacetName, value: string | undefined): void => change({ [name]: value });
  const open = (index: number): void => {
    const sequence = rows[index]?.sequenceNumber;
    if (sequence !== undefined) location.hash = addressOf({ view: "message", entity, sequence });
  };
  const isDead = place.tab === "dead";
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  const meant =
    selected.size > 0 ? counted(selected.size, "selected dead letter") : isFiltered ? "all that match" : "all";
  const selection = selected.size > 0 ? { sequenceNumbers: [...selected] } : filter;
  return (
    <div class={isDead ? "split" : undefined}>
      {isDead && <Groups entity={entity} filter={filter} onChoose={choose} />}
      <section aria-label="Messages" class="grow">
        <div class="bar">
          <FilterField
            name="text"
            label="Search in bodies, properties and reasons"
            place="Search ( / )"
            filter={filter}
            change={change}
          />
          <FilterField
            name="path"
            label="Filter by a member of the body"
            place="$.customer.id = 7"
            filter={filter}
            change={change}
          />
          {!isDead && (
            <select
              aria-label="State"
              value={filter.state ?? ""}
              onChange={(event: TargetedEvent<HTMLSelectElement>) =>
                change({ state: event.currentTarget.value === "" ? undefined : event.currentTarget.value })
              }
            >
              <option value="">every state</option>
              <option value="active">active</option>
              <option value="scheduled">scheduled</option>
              <option value="deferred">deferred</option>
            </select>
          )}
          <label>
            <input type="checkbox" checked={tail} onChange={() => setTail(!tail)} /> live
          </label>
          {isDead && rows.length > 0 && (
            <button type="button" class="main" onClick={() => setRedriving(true)}>
              Re-drive {meant}…
            </button>
          )}
          <EntityTools
            entity={entity}
            target={place.path}
            session={session}
            selection={isDead && (selected.size > 0 || isFiltered) ? selection : undefined}
            meant={meant}
            onChanged={() => {
              setSelected(new Set());
              restart();
            }}
          />
        </div>
        {redriving && (
          <RedrivePanel
            entity={entity}
            session={session}
            selection={selection}
            meant={meant}
            onClose={() => setRedriving(false)}
          />
        )}
        <div class="bar quiet">
          <span role="status">
            {problem ??
              `${counted(rows.length, "message")}${done ? "" : " so far"}, ${scanned.toLocaleString("en")} looked at`}
          </span>
          {!done && problem === undefined && <progress aria-label="Looking through messages" />}
          {rows.length > 0 && (
            <span class="keys">
              <kbd>j</kbd> <kbd>k</kbd> move, {isDead && <kbd>Space</kbd>} {isDead && "select, "}
              <kbd>Enter</kbd> open, <kbd>Esc</kbd> back
            </span>
          )}
        </div>
        {rows.length > 0 && (
          <VirtualList
            label={`Messages of ${entity}`}
            count={rows.length}
            rowHeight={58}
            row={(index) => <Line row={rows[index]} selectable={isDead} selected={selected} />}
            onOpen={open}
            onToggle={isDead ? toggle : undefined}
            isSelected={(index) => selected.has(rows[index]?.sequenceNumber ?? "")}
            onEnd={more}
          />
        )}
        {rows.length === 0 && done && (
          <p class="empty">
            {isFiltered ? "Nothing matches." : isDead ? "No dead letters here." : "No messages here."}
            {isFiltered && (
              <>
                {" "}
                <a href={addressOf({ ...place, filter: {} })}>Show all</a>
              </>
            )}
          </p>
        )}
      </section>
    </div>
  );
}

interface LineProps {
  readonly row: MessageRow | undefined;
  readonly selectable: boolean;
  readonly selected: ReadonlySet<string>;
}

function Line({ row, selectable, selected }: LineProps): JSX.Element {
  if (row === undefined) return <span />;
  const { sequenceNumber, messageId, reason, description, enqueuedTimeUtc, type, contentType, codec, sizeInBytes } =
    row;
  return (
    <>
      {selectable && <span class={selected.has(sequenceNumber) ? "tick on" : "tick"} aria-hidden="true" />}
      <span class="lines">
        <span class="top">
          <b>#{sequenceNumber}</b> <span>{oneLine(messageId ?? "without id")}</span>{" "}
          {reason !== "" && <span class="bad">{oneLine(reason)}</span>}
          {row.state !== "active" && <span class="badge">{row.state}</span>}
          {row.redrives > 0 && <span class="badge">re-driven {row.redrives}×</span>}
        </span>
        <span class="under quiet">
          {timeText(enqueuedTimeUtc)} · {sizeText(sizeInBytes)} · {oneLine(contentType ?? "no content type")} ·{" "}
          {codec === null ? <span class="bad">not read</span> : `read by ${codec}`}
          {type === "" ? "" : ` · ${oneLine(type)}`}
          {description === "" ? "" : ` · ${oneLine(description.slice(0, 300))}`}
        </span>
      </span>
    </>
  );
}

interface FieldProps {
  readonly name: "text" | "path";
  readonly label: string;
  readonly place: string;
  readonly filter: Filter;
  readonly change: (changes: Filter) => void;
}

function FilterField({ name, label, place, filter, change }: FieldProps): JSX.Element {
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const [typed, setTyped] = useState(filter[name] ?? "");
  useEffect(() => setTyped(filter[name] ?? ""), [filter[name]]);
  const onInput = (event: TargetedInputEvent<HTMLInputElement>): void => {
    const { value } = event.currentTarget;
    setTyped(value);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => change({ [name]: value.trim() === "" ? undefined : value }), 300);
  };
  return (
    <input
      type="search"
      class={name === "text" ? "search" : "path"}
      aria-label={label}
      placeholder={place}
      value={typed}
      onInput={onInput}
    />
  );
}
