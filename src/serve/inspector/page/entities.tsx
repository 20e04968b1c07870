import type { EntitiesAnswer } from "../api.ts";
import { columns, EntityRow } from "./entity-row.tsx";
import { useAnswer } from "./hooks.ts";
import { type JSX, useEffect, useState, type TargetedInputEvent } from "./preact.ts";
import { addressOf } from "./router.ts";
import { type EntitySamples, sampled } from "./samples.ts";
import { TableHead } from "./table-head.tsx";
import { counted } from "./text.ts";

/** Milliseconds between two samples of the counts. */
const interval = 3000;

/** Samples of the counts since the page was opened, also while another view is shown. */
let samples: ReadonlyMap<string, EntitySamples> = new Map();

const unsampled: EntitySamples = { active: [], deadLetter: [], age: [] };

/** Every entity with its counts. */
export function Entities({
  mayList,
  inspects,
}: {
  readonly mayList: boolean;
  readonly inspects: boolean;
}): JSX.Element {
  const { answer, problem } = useAnswer<EntitiesAnswer>("entities", {}, interval);
  const [search, setSearch] = useState("");
  const [shownSamples, setSamples] = useState(samples);
  useEffect(() => {
    if (answer === undefined) return;
    samples = sampled(samples, answer.entities, Date.now());
    setSamples(samples);
  }, [answer]);
  if (!mayList || (problem !== undefined && answer === undefined)) return <OpenByName problem={problem} />;
  if (answer === undefined) return <p class="empty">Loading…</p>;
  const { entities } = answer;
  const shown = entities.filter(({ path }) => path.toLowerCase().includes(search.toLowerCase()));
  const dead = entities.reduce((sum, { deadLetter }) => sum + deadLetter, 0);
  return (
    <main>
      <div class="bar">
        <h1>Entities</h1>
        <span class="quiet">
          {entities.length === 1 ? "1 entity" : `${entities.length.toLocaleString("en")} entities`},{" "}
          {counted(dead, "dead letter")}
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
      {problem !== undefined && <p class="bad">{problem} The counts are the last ones known.</p>}
      <div class="scroll card" tabIndex={0} role="region" aria-label="Entities">
        <table>
          <TableHead columns={columns} numbers={columns.slice(1)} />
          <tbody>
            {shown.map((entity) => (
              <EntityRow key={entity.path} entity={entity} samples={shownSamples.get(entity.path) ?? unsampled} />
            ))}
          </tbody>
        </table>
      </div>
      {shown.length === 0 && (
        <p class="empty">
          {entities.length === 0 ? "This broker has no entities yet." : "No entity has this in its name."}
        </p>
      )}
      {!inspects && <p class="quiet">Deferred and locked messages and their ages are not available on this engine.</p>}
    </main>
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
        <button type="submit" class="main">
          Open
        </button>
      </form>
    </main>
  );
}
