/** Number of members whose places fit into the bits of a number; those beyond are found in their order only. */
const maxPlaces = 31;

/**
 * The places of the members found so far, as bits, with another one; `undefined` for a member that is not there (-1) or was found
 * before. `count` is the number of those before it.
 */
export function foundWith(found: number, place: number, count: number): number | undefined {
  if (place >= maxPlaces) return place === count ? found : undefined;
  return place < 0 || (found & (1 << place)) !== 0 ? undefined : found | (1 << place);
}
