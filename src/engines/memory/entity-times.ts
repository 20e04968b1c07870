import type { EntityTimes } from "../../engine/admin.ts";

/** Times of an entity in milliseconds since 1970. */
interface Times {
  readonly createdAt: number;
  readonly modifiedAt: number;
  readonly usedAt: number;
}

/** The times of an entity as its administration tells them. */
export const timesOf = ({ createdAt, modifiedAt, usedAt }: Times): EntityTimes => ({
  createdAt: new Date(createdAt),
  modifiedAt: new Date(modifiedAt),
  accessedAt: new Date(usedAt),
});
