import { describe, expect, it } from "vitest";
import { Namespace } from "../../../src/broker/memory/namespace.ts";
import { ManualClock } from "../../../src/core/time/index.ts";

describe("an entity that is deleted when it is idle", () => {
  it("leaves nothing behind when it is deleted earlier", () => {
    const namespace = new Namespace({ clock: new ManualClock(), firstSequenceNumber: 1n });
    namespace.createQueue("q", { autoDeleteOnIdle: "PT5M" });
    namespace.update(namespace.queueEntity("q"), { autoDeleteOnIdle: "PT10M" });
    expect(namespace.timeline.size).toBe(1);

    namespace.delete(namespace.queueEntity("q"));

    expect(namespace.timeline.size).toBe(0);
  });
});
