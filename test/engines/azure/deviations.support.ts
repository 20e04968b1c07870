/** Where the engine over AMQP departs from the message model, and why. */
export const azureDeviations: Readonly<Record<string, string>> = {
  "envelope-intact":
    "The case sends bytes as value and sequence bodies that are no AMQP values; those bodies are held to AMQP on the wire.",
  "dead-letter-bytes": "The case sends a value body that is no AMQP value, which cannot go onto the wire.",
  "connection-abort-counts": "The server releases the locks of a connection whose socket ends without Close.",
  "connection-abort-sessions": "The server frees the sessions of a connection whose socket ends without Close.",
  "abandon-properties":
    "AMQP has no word for taking a property away: undefined arrives as null. The other properties arrive as given.",
  "time-to-live-of-entity":
    "A delivery on the wire tells the message's own time to live, not the entity's, so that expiresAtUtc can be later than the truth.",
};
