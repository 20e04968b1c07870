import { describe, expect, it } from "vitest";
import { CompilationError } from "./installed.support.ts";
import { type PeerName, probes } from "./peer-probes.support.ts";
import { isRequired, type PeerChoice, requiredPeers, selectPeers } from "./peer-selection.support.ts";
import type { Peer } from "./peers.support.ts";

const peers: readonly Peer[] = [
  { name: "client of Go", needs: ["go"], tests: ["go.test.ts"], cases: ["all.test.ts"], share: "official-clients" },
  {
    name: "client of Java",
    needs: ["java"],
    tests: ["java.test.ts"],
    cases: ["all.test.ts"],
    share: "official-clients",
  },
  { name: "Go on port 443", needs: ["go", "port-443"], tests: ["port.test.ts"], share: "official-clients" },
  { name: "curl", needs: ["curl"], tests: ["curl.test.ts"] },
];

/** A machine without the given peers, which counts how often each is asked for. */
function machine(
  ...lacks: readonly PeerName[]
): Pick<PeerChoice, "peers" | "probes" | "names"> & { readonly asked: PeerName[] } {
  const asked: PeerName[] = [];
  const found = Object.fromEntries(
    Object.entries(probes).map(([name, probe]) => [
      name,
      {
        ...probe,
        find: async () => {
          asked.push(...Object.keys(probes).filter((one): one is PeerName => one === name));
          if (lacks.some((one) => one === name)) throw new Error(`Tried it\n${name} is not there`);
        },
      },
    ]),
  );
  return { peers, probes: { ...probes, ...found }, names: [], asked };
}

/** A machine on which the only peer is not installed. */
function notInstalled(error: Error): Promise<unknown> {
  const install = async (): Promise<never> => {
    throw error;
  };
  return selectPeers({ ...machine(), peers: [{ name: "c", needs: ["go"], tests: ["c.test.ts"], install }] });
}

describe("the selection of peers", () => {
  it("leaves out the files of a missing client, and only its cases in others", async () => {
    const { leftOut, excluded, missing, files } = await selectPeers({ ...machine("go"), share: "official-clients" });

    expect(leftOut.map(({ peer, reason }) => [peer.name, reason])).toEqual([
      ["client of Go", "go is not there"],
      ["Go on port 443", "go is not there"],
    ]);
    expect(excluded).toEqual(["go.test.ts", "port.test.ts"]);
    expect(missing).toEqual(["go"]);
    expect(files).toEqual(["all.test.ts", "java.test.ts"]);
  });

  it("keeps a client where only the port of another test is taken", async () => {
    const { excluded, missing } = await selectPeers({ ...machine("port-443"), share: "official-clients" });

    expect(excluded).toEqual(["port.test.ts"]);
    expect(missing).toEqual([]);
  });

  it("runs the cases of other clients in a shared file when all of these are missing", async () => {
    const { files } = await selectPeers({ ...machine("go", "java"), share: "official-clients" });

    expect(files).toEqual(["all.test.ts"]);
  });

  it("asks once for each peer that the chosen tests need, and for no other", async () => {
    const named = machine();
    const others = machine();

    await selectPeers({ ...named, names: ["go.test", "port"] });
    const { excluded, files } = await selectPeers({ ...others, share: "others" });

    expect(named.asked.toSorted()).toEqual(["go", "port-443"]);
    expect(others.asked).toEqual(["curl"]);
    expect(files).toBeUndefined();
    expect(excluded.toSorted()).toEqual(["all.test.ts", "go.test.ts", "java.test.ts", "port.test.ts"]);
  });

  it("leaves out a client whose packages cannot be installed, but not one that does not compile", async () => {
    expect(await notInstalled(new Error("no package"))).toMatchObject({ excluded: ["c.test.ts"] });
    await expect(notInstalled(new CompilationError("main.go:1"))).rejects.toThrow("main.go:1");
  });
});

describe("REQUIRE_PEERS", () => {
  it("makes a failure of what it names, or of everything", () => {
    const [go, java, port] = peers;
    if (go === undefined || java === undefined || port === undefined) throw new Error("Three peers were expected.");

    expect([go, java, port].map((peer) => isRequired(peer, requiredPeers("python go", probes)))).toEqual([
      true,
      false,
      true,
    ]);
    expect(isRequired(java, requiredPeers("all", probes))).toBe(true);
    expect(isRequired(java, requiredPeers(undefined, probes))).toBe(false);
  });

  it("is refused with a name that is not a peer's", () => {
    expect(() => requiredPeers("golang java", probes)).toThrow(
      /REQUIRE_PEERS has golang\. Expected .*python, java, go/,
    );
  });
});
