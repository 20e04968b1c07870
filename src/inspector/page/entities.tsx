import type { EntitiesAnswer, EntityFact } from "../api.ts";
import { oneLine } from "../visible-text.ts";
import { useAnswer } from "./hooks.ts";
import { type JSX, useEffect, useState, type TargetedInputEvent } from "./preact.ts";
import { addressOf, type Tab } from "./router.ts";
import { Sparkline } from "./sparkline.tsx";
import { counted, sizeText } from "./text.ts";

/** Milliseconds between two samples of the counts. */
const interval = 3000;

/** Samples that a sparkline shows. */
const mostSamples = 60;

/** Counts of dead letters by entity, sampled while the page is open. */
const samples = new Map<string, readonly number[]>();

/** Every entity with its counts. */
export function Entities({ mayList }: { readonly mayList: boolean }): JSX.Element {
  const { answer, problem } = useAnswer<EntitiesAnswer>("entities", {}, interval);
  const [search, setSearch] = useState("");
  useEffect(() => {
    for (const { path, deadLetter } of answer?.entities ?? [])
      samples.set(path, [...(samples.get(path) ?? []), deadLetter].slice(-mostSamples));
  }, [answer]);
  if (!mayList || problem !== undefined) return <OpenByName problem={problem} />;
  if (answer === undefined) return <p class="quiet">Loading…</p>;
  const shown = answer.entities.filter(({ path }) => path.toLowerCase().includes(search.toLowerCase()));
  const dead = answer.entities.reduce((sum, { deadLetter }) => sum + deadLetter, 0);
  return (
    <main>
      <div class="bar">
        <h1>Entities</h1>
        <span class="quiet">
          {counted(answer.entities.length, "entity").replace("entitys", "entities")}, {counted(dead, "dead letter")}
        </span>
        <input
          type="search"
          class="search"
          aria-label="Filter entities by name"
          placeholder="Filter by name ( / )"
          value={search}
          onInput={(event: TargetedInputEvent<HTMLInputElement>) => setSearch(event.currentTarget.value)}
        />
      </div>
      <div class="scroll" tabIndex={0} role="region" aria-label="Entities">
        <table>
          <thead>
            <tr>
              <th scope="col">Entity</th>
              <th scope="col" class="number">
                Active
              </th>
              <th scope="col" class="number">
                Dead letters
              </th>
              <th scope="col" class="number">
                Scheduled
              </th>
              <th scope="col" class="number">
                Size
              </th>
              <th scope="col">Dead letters over time</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((entity) => (
              <Row key={entity.path} entity={entity} />
            ))}
          </tbody>
        </table>
      </div>
      {shown.length === 0 && <p class="quiet">No entity has this in its name.</p>}
    </main>
  );
}

function Row({ entity }: { readonly entity: EntityFact }): JSX.Element {
  const { path, kind, status, requiresSession, active, deadLetter, scheduled, sizeInBytes } = entity;
  const to = (tab: Tab): string => addressOf({ view: "entity", path, tab, filter: {} });
  const notes = [kind, ...(status === "Active" ? [] : [status]), ...(requiresSession ? ["sessions"] : [])];
  const isReceivable = kind !== "topic";
  return (
    <tr>
      <th scope="row">
        {isReceivable ? <a href={to(deadLetter > 0 ? "dead" : "messages")}>{oneLine(path)}</a> : oneLine(path)}{" "}
        <span class="quiet">{notes.join(", ")}</span>
      </th>
      <td class="number">{isReceivable ? <a href={to("messages")}>{active}</a> : ""}</td>
      <td class="number">
        {isReceivable ? (
          <a href={to("dead")} class={deadLetter > 0 ? "bad" : undefined}>
            {deadLetter}
          </a>
        ) : (
          ""
        )}
      </td>
      <td class="number">{scheduled}</td>
      <td class="number">{sizeText(sizeInBytes)}</td>
      <td>{isReceivable && <Sparkline values={samples.get(path) ?? []} label={`Dead letters of ${path}`} />}</td>
    </tr>
  );
}

/** For those who may not list entities. */
function OpenByName({ problem }: { readonly problem: string | undefined }): JSX.Element {
  const [name, setName] = useState("");
  const open = (event: Event): void => {
    event.preventDefault();
    if (name !== "") location.hash = addressOf({ view: "entity", path: name, tab: "dead", filter: {} });
  };
  return (
    <main class="narrow">
      <h1>Open an entity</h1>
      <p>
        {problem ?? "This connection string does not grant Manage, so entities cannot be listed. Name one instead."}
      </p>
      <form class="bar" onSubmit={open}>
        <input
          aria-label="Path of the entity"
          placeholder="orders, or prices/Subscriptions/eu"
          value={name}
          onInput={(event: TargetedInputEvent<HTMLInputElement>) => setName(event.currentTarget.value)}
        />
        <button type="submit">Open</button>
      </form>
    </main>
  );
}
