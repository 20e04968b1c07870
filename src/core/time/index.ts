export { type Clock, systemClock, type Timer } from "./clock.ts";
export { type DurationLike, toMilliseconds } from "./duration.ts";
export { ManualClock } from "./manual-clock.ts";
