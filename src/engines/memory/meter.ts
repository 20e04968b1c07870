/** Bytes that an entity and everything under it hold; one for a topic and all its subscriptions. */
export class Meter {
  bytes = 0;
}
