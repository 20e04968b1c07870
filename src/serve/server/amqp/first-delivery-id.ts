/** Ids stay far from their end at 2^32, beyond which some clients do not count on from 0. */
const places = 2 ** 31;

/** The odd number next to the golden section of the places: multiples of it are far apart, however many there are. */
const step = 1_327_217_885;

let last: number | undefined;

/**
 * The id of a session's first delivery, different from that of every other session of this process, and most likely of
 * the process before.
 *
 * Some clients keep settlements by delivery id for all sessions of a receiver: a confirmation in a new session must not be
 * taken for one that the old session still owes.
 */
export function firstDeliveryId(): number {
  last = ((last ?? crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) + step) % places;
  return last;
}
