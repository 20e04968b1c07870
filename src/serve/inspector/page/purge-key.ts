import type { MessageSelection } from "../api.ts";

/**
 * The key of a deletion: it differs wherever other messages are meant, so a confirmation and its countdown end when the
 * tab, the filter or the selection changes.
 */
export const purgeKey = (entity: string, selection: MessageSelection | undefined): string =>
  JSON.stringify([entity, selection ?? null]);
