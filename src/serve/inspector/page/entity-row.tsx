import type { EntitySummary } from "../api.ts";
import { oneLine } from "../../../core/values/visible-text.ts";
import type { JSX } from "./preact.ts";
import { addressOf, type Tab } from "./router.ts";
import type { EntitySamples } from "./samples.ts";
import { ageText, counted, sizeText, timeText } from "./text.ts";

/** Columns of the table of entities; all but the first are numbers. */
export const columns = [
  "Entity",
  "Active",
  "Dead letters",
  "Scheduled",
  "Deferred",
  "Locked",
  "Oldest",
  "Size",
] as const;

interface RowProps {
  readonly entity: EntitySummary;
  readonly samples: EntitySamples;
}

/** An entity with its counts, and how they have changed since the page was opened. */
export function EntityRow({ entity, samples }: RowProps): JSX.Element {
  const { path, kind, status, requiresSession, active, deadLetter, scheduled, sizeInBytes, detail } = entity;
  const to = (tab: Tab): string => addressOf({ view: "entity", path, tab, filter: {} });
  const notes = [kind, ...(status === "Active" ? [] : [status]), ...(requiresSession ? ["sessions"] : [])];
  const transferred = entity.transferDeadLetter;
  if (transferred > 0) notes.push(counted(transferred, "transfer dead letter"));
  if (kind === "topic")
    return (
      <tr>
        <th scope="row">
          {oneLine(path)} <span class="quiet">{notes.join(", ")}</span>
        </th>
        <td colSpan={2} />
        <td class="number">{scheduled}</td>
        <td colSpan={3} />
        <td class="number">{sizeText(sizeInBytes)}</td>
      </tr>
    );
  const oldest = detail?.oldestDeadLetter ?? detail?.oldest ?? null;
  return (
    <tr>
      <th scope="row">
        <a href={to(deadLetter > 0 ? "dead" : "messages")}>{oneLine(path)}</a>{" "}
        <span class="quiet">{notes.join(", ")}</span>
        {detail !== null && detail.reasons.length > 0 && <Reasons path={path} reasons={detail.reasons} />}
      </th>
      <td>
        <span class="trend">
          <Sparkline values={samples.active} label={`Messages of ${path}`} />
          <a href={to("messages")}>{shown(active)}</a>
        </span>
      </td>
      <td>
        <span class="trend">
          <Sparkline values={samples.deadLetter} label={`Dead letters of ${path}`} />
          <a href={to("dead")} class={deadLetter > 0 ? "bad" : undefined}>
            {shown(deadLetter)}
          </a>
        </span>
      </td>
      <td class="number">{shown(scheduled)}</td>
      <td class="number">{detail === null ? <NotKnown /> : shown(detail.deferred)}</td>
      <td class="number">{detail === null ? <NotKnown /> : shown(detail.locked)}</td>
      <td class="number">
        {detail === null ? (
          <NotKnown />
        ) : oldest === null ? (
          ""
        ) : (
          <span class="trend">
            <Sparkline values={samples.age} label={`Age in seconds of the oldest message of ${path}`} />
            <span title={timeText(oldest)}>{ageText(Date.now() - Date.parse(oldest))}</span>
          </span>
        )}
      </td>
      <td class="number">{sizeText(sizeInBytes)}</td>
    </tr>
  );
}

const shown = (count: number): string => count.toLocaleString("en");

interface ReasonsProps {
  readonly path: string;
  readonly reasons: readonly { readonly reason: string; readonly count: number }[];
}

/** The most frequent reasons among the first dead letters. */
function Reasons({ path, reasons }: ReasonsProps): JSX.Element {
  return (
    <span class="reasons">
      {reasons.map(({ reason, count }) => (
        <a key={reason} class="chip" href={addressOf({ view: "entity", path, tab: "dead", filter: { reason } })}>
          {reason === "" ? "no reason" : oneLine(reason.slice(0, 60))} <b>{count.toLocaleString("en")}</b>
        </a>
      ))}
    </span>
  );
}

/** The place of a number that the engine does not know. */
function NotKnown(): JSX.Element {
  return (
    <span class="quiet" title="not available on this engine" role="img" aria-label="not available on this engine">
      –
    </span>
  );
}

const size = { width: 64, height: 18 };

/** A small line of values over time. */
function Sparkline({ values, label }: { readonly values: readonly number[]; readonly label: string }): JSX.Element {
  const most = Math.max(...values, 0);
  const step = size.width / Math.max(1, values.length - 1);
  const points = values.map(
    (value, index) =>
      `${(index * step).toFixed(1)},${(size.height - 1 - (value / most) * (size.height - 3)).toFixed(1)}`,
  );
  const [first = 0] = values;
  const last = values.at(-1) ?? 0;
  const trend = last > first ? "rising" : last < first ? "falling" : "steady";
  return (
    <svg
      class={trend === "steady" ? "spark steady" : "spark"}
      role="img"
      aria-label={`${label}: ${trend}, now ${last}`}
      viewBox={`0 0 ${size.width} ${size.height}`}
      width={size.width}
      height={size.height}
    >
      {points.length > 1 && most > 0 && (
        <>
          <polygon points={`0,${size.height} ${points.join(" ")} ${size.width},${size.height}`} />
          <polyline points={points.join(" ")} />
        </>
      )}
    </svg>
  );
}
