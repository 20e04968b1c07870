import { describe, expect, it } from "vitest";
import { ClientLink } from "../../../src/client/client/link.ts";
import { SobreError } from "../../../src/core/errors/index.ts";

class Opened {
  readonly name: string;
  isClosed = false;

  constructor(name: string) {
    this.name = name;
  }

  async close(): Promise<void> {
    this.isClosed = true;
  }
}

interface Opening {
  readonly done: (link: Opened) => void;
  readonly failed: (error: unknown) => void;
}

function setup(): { readonly link: ClientLink<Opened>; readonly openings: Opening[] } {
  const openings: Opening[] = [];
  const link = new ClientLink("sender", () => new Promise<Opened>((done, failed) => openings.push({ done, failed })));
  return { link, openings };
}

/** Given up for the second time, an opening is not waited for any more. */
function giveUp(link: ClientLink<Opened>): void {
  link.abandon();
  link.abandon();
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 8; turn++) await Promise.resolve();
}

describe("a link whose opening was given up", () => {
  it("is the one that was opened instead, also when the first comes after all", async () => {
    const { link, openings } = setup();
    const [late, fresh] = [new Opened("late"), new Opened("fresh")];
    void link.get();
    giveUp(link);
    const second = link.get();
    openings[1]?.done(fresh);
    await second;

    openings[0]?.done(late);
    await settled();
    const used = await link.use(async (current) => current.name);

    expect(used).toBe("fresh");
    expect([late.isClosed, fresh.isClosed]).toEqual([true, false]);
  });

  it("is waited for where the first one comes before it", async () => {
    const { link, openings } = setup();
    void link.get();
    giveUp(link);
    const using = link.use(async (current) => current.name);

    openings[0]?.done(new Opened("late"));
    await settled();
    openings[1]?.done(new Opened("fresh"));

    expect(await using).toBe("fresh");
    expect(link.current?.name).toBe("fresh");
  });

  it("is not opened a third time because the first one fails", async () => {
    const { link, openings } = setup();
    link.get().catch(() => undefined);
    giveUp(link);
    void link.get();

    openings[0]?.failed(new SobreError("ServiceTimeout", "too late"));
    await settled();
    const third = link.get();
    openings[1]?.done(new Opened("fresh"));

    expect((await third).name).toBe("fresh");
    expect(openings).toHaveLength(2);
  });
});
