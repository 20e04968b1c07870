import { describe, expect, it } from "vitest";
import { MemoryNamespace } from "../../../src/broker/memory/namespace.ts";
import { newQueue, newSettings } from "../../../src/broker/policy/entity-changes.ts";
import { ManualClock } from "../../../src/core/time/index.ts";

describe("an entity that is deleted when it is idle", () => {
  it("leaves nothing behind when it is deleted earlier", () => {
    const namespace = new MemoryNamespace({ clock: new ManualClock(), firstSequenceNumber: 1n });
    const { directory } = namespace;
    namespace.change(newQueue(directory, "q", { autoDeleteOnIdle: "PT5M" }));
    namespace.change(newSettings(directory, directory.queueEntity("q"), { autoDeleteOnIdle: "PT10M" }));
    expect(namespace.timeline.size).toBe(1);

    namespace.delete(directory.queueEntity("q"));

    expect(namespace.timeline.size).toBe(0);
  });
});
