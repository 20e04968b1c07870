import { facetNames, type FacetName, type GroupsAnswer } from "../api.ts";
import { oneLine } from "../../../core/values/visible-text.ts";
import { getJson, reasonOf } from "./api-client.ts";
import { mergedGroups, noGroups } from "./groups.ts";
import { type JSX, useEffect, useState } from "./preact.ts";
import type { Filter } from "./router.ts";

const titles: Readonly<Record<FacetName, string>> = {
  reason: "Reason",
  error: "Codec error",
  type: "Message type",
  source: "Came from",
};

interface GroupsProps {
  readonly entity: string;
  readonly filter: Filter;
  /** `undefined` shows all again. */
  readonly onChoose: (name: FacetName, value: string | undefined) => void;
}

/** The dead letters counted by each fact; one that is chosen limits the list. */
export function Groups({ entity, filter, onChoose }: GroupsProps): JSX.Element {
  const [groups, setGroups] = useState(noGroups);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const [busy, setBusy] = useState(true);
  useEffect(() => {
    const leaving = new AbortController();
    const load = async (): Promise<void> => {
      let all = noGroups;
      for (let from: string | null = "0"; from !== null; from = all.next) {
        all = mergedGroups(all, await getJson<GroupsAnswer>("groups", { entity, from }, leaving.signal));
        setGroups(all);
      }
      setBusy(false);
    };
    load().catch((error: unknown) => {
      if (leaving.signal.aborted) return;
      setProblem(reasonOf(error));
      setBusy(false);
    });
    return () => leaving.abort();
  }, [entity]);
  return (
    <aside aria-label="Groups" aria-busy={busy}>
      <p class="quiet" role="status">
        {problem ?? `${groups.scanned.toLocaleString("en")} counted${busy ? "…" : ""}`}
      </p>
      {facetNames
        .toSorted((a, b) => Object.keys(titles).indexOf(a) - Object.keys(titles).indexOf(b))
        .filter((name) => groups.facets[name].length > 1 || (groups.facets[name][0]?.value ?? "") !== "")
        .map((name) => (
          <section key={name}>
            <h2>{titles[name]}</h2>
            <ul>
              {groups.facets[name].slice(0, 30).map(({ value, count }) => {
                const chosen = filter[name] === value;
                return (
                  <li key={value}>
                    <button
                      type="button"
                      class="facet"
                      aria-pressed={chosen}
                      onClick={() => onChoose(name, chosen ? undefined : value)}
                    >
                      <span>{value === "" ? "none" : oneLine(value)}</span> <b>{count.toLocaleString("en")}</b>
                    </button>
                  </li>
                );
              })}
            </ul>
          </section>
        ))}
    </aside>
  );
}
