/** Where the engine over AMQP departs from the message model, and why. */
export const azureDeviations: Readonly<Record<string, string>> = {
  "envelope-intact":
    "The case sends bytes as value and sequence bodies that are no AMQP values; those bodies are held to AMQP on the wire.",
  "dead-letter-bytes": "The case sends a value body that is not an AMQP value, which cannot go onto the wire.",
  "deletion-is-announced":
    "A broker ends the links to an entity that is deleted; it announces nothing to a connection without links.",
  "abandon-properties":
    "AMQP has no word for taking a property away: undefined arrives as null. The other properties arrive as given.",
};
