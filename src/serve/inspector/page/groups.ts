import { facetNames, type FacetGroup, type GroupsAnswer } from "../api.ts";

/** No groups yet. */
export const noGroups: GroupsAnswer = {
  facets: { reason: [], source: [], type: [], error: [] },
  scanned: 0,
  next: null,
};

/** Two parts of the groups as one, the largest first. */
export function mergedGroups(one: GroupsAnswer, other: GroupsAnswer): GroupsAnswer {
  const facets = { ...one.facets };
  for (const name of facetNames) facets[name] = merged(one.facets[name], other.facets[name]);
  return { facets, scanned: one.scanned + other.scanned, next: other.next };
}

function merged(one: readonly FacetGroup[], other: readonly FacetGroup[]): readonly FacetGroup[] {
  const groups = new Map(one.map((group) => [group.value, group]));
  for (const group of other) {
    const known = groups.get(group.value);
    groups.set(group.value, known === undefined ? group : { ...known, count: known.count + group.count });
  }
  return [...groups.values()].toSorted((a, b) => b.count - a.count);
}
