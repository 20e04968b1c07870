import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  emulatorConfig,
  type EmulatorConfig,
  emulatorConfigSchema,
} from "../../../src/broker/emulator-config/index.ts";
import { memoryEngine } from "../../../src/broker/memory/index.ts";
import { createEnvelope } from "../../../src/core/envelope/index.ts";
import { SobreError } from "../../../src/core/errors/index.ts";
import { needsVectors, vectors } from "../../vectors.support.ts";

function config(namespace: object): string {
  return JSON.stringify({
    UserConfig: { Namespaces: [{ Name: "sbemulatorns", ...namespace }], Logging: { Type: "File" } },
  });
}

function refusal(source: unknown): SobreError {
  try {
    Reflect.apply(emulatorConfig, undefined, [source]);
  } catch (error) {
    if (error instanceof SobreError) return error;
    throw error;
  }
  throw new Error("The configuration was read.");
}

const typo = (index: number): object => ({ Name: `q${index}`, Oops: index });

describe("emulatorConfig", () => {
  it("takes an object as well as its text", () => {
    const object: EmulatorConfig = {
      UserConfig: {
        Namespaces: [
          {
            Name: "sbemulatorns",
            Queues: [{ Name: "orders", Properties: { LockDuration: "PT5S", Status: "Disabled" } }],
            Topics: [
              {
                Name: "prices",
                Subscriptions: [
                  {
                    Name: "eu",
                    Rules: [
                      { Name: "r", Properties: { FilterType: "Correlation", CorrelationFilter: { Label: "eu" } } },
                    ],
                  },
                ],
              },
            ],
          },
        ],
        Logging: { Type: "File" },
      },
    };

    expect(emulatorConfig(object)).toEqual(emulatorConfig(JSON.stringify(object)));
    expect(emulatorConfig(object).entities.queues["orders"]).toMatchObject({
      lockDuration: "PT5S",
      status: "Disabled",
    });
  });

  it.each<readonly [unknown, string, string]>([
    [
      { UserConfig: { Namespaces: [{ Name: "n", Queues: [{ Name: "q", Oops: 1 }] }] } },
      "$.UserConfig.Namespaces[0].Queues[0].Oops",
      "is not an allowed member",
    ],
    [
      { UserConfig: { Namespaces: [{ Name: "n", Queues: [{ Name: "q", Properties: { LockDuration: 5000 } }] }] } },
      "$.UserConfig.Namespaces[0].Queues[0].Properties.LockDuration",
      "must be string",
    ],
    [{ Namespaces: [] }, "$", "UserConfig"],
    [undefined, "$", "must be object"],
    [5, "$", "must be object"],
    [[], "$", "must be object"],
  ])("refuses the object %j with the path of what is wrong", (object, path, words) => {
    const error = refusal(object);

    expect(error).toMatchObject({ code: "InvalidArgument", path });
    expect(error.message).toContain(words);
  });

  it.each([
    [{ FilterType: "SqlFilter", SqlFilter: { SqlExpression: "a = 1" } }, "FilterType must be one of"],
    [{ FilterType: "Sql", CorrelationFilter: { Label: "a" } }, " must have required property 'SqlFilter'"],
  ])("names the cause first for a rule with %o, and no condition of the schema", (Properties, cause) => {
    const topic = { Name: "t", Subscriptions: [{ Name: "s", Rules: [{ Name: "r", Properties }] }] };

    const read = (): unknown => emulatorConfig(config({ Topics: [topic] }));

    expect(read).toThrow(new RegExp(`^The configuration is wrong: [^ ]*Properties\\.?${cause}`));
    expect(read).not.toThrow(/schema/);
  });

  it("reads years of 365 and months of 30 days, and names with a tilde", async () => {
    const Properties = { DefaultMessageTimeToLive: "P1Y1M1DT1H", AutoDeleteOnIdle: "P2M" };
    const engine = memoryEngine(emulatorConfig(config({ Queues: [{ Name: "Orders~Placed", Properties }] })).entities);

    expect(await engine.admin.getQueue("orders~placed")).toMatchObject({
      defaultMessageTimeToLive: (396 * 24 + 1) * 3_600_000,
      autoDeleteOnIdle: 60 * 86_400_000,
    });
  });

  it("lets entities forward to others of the same file, wherever they are in it", async () => {
    const text = config({
      Queues: [
        { Name: "first", Properties: { ForwardTo: "Last", ForwardDeadLetteredMessagesTo: "topic" } },
        { Name: "last", Properties: { ForwardDeadLetteredMessagesTo: "first" } },
      ],
      Topics: [{ Name: "topic", Subscriptions: [{ Name: "s", Properties: { ForwardTo: "last" } }] }],
    });

    const engine = memoryEngine(emulatorConfig(text).entities);

    expect((await engine.admin.getQueue("first")).forwardTo).toBe("Last");
  });

  it.each([
    [{ ForwardTo: "missing" }, { code: "MessagingEntityNotFound" }],
    [{ ForwardDeadLetteredMessagesTo: "missing" }, { code: "MessagingEntityNotFound" }],
    [{ ForwardTo: "Orders" }, { code: "InvalidArgument", path: "$.forwardTo" }],
    [
      { ForwardTo: "other", RequiresSession: true },
      { code: "InvalidArgument", path: "$.forwardTo" },
    ],
  ])("names the queue that cannot have %o", (Properties, expected) => {
    const { entities } = emulatorConfig(config({ Queues: [{ Name: "orders", Properties }, { Name: "other" }] }));

    expect(() => memoryEngine(entities)).toThrow(
      expect.objectContaining({ ...expected, message: expect.stringContaining("The queue orders:") }),
    );
  });

  it("reads queues, topics, subscriptions and rules for a memory engine", async () => {
    const rules = [
      {
        Name: "r",
        Properties: {
          FilterType: "Sql",
          SqlFilter: { SqlExpression: "size > 1" },
          Action: { SqlExpression: "SET a = 1" },
        },
      },
    ];
    const topic = { Name: "prices", Subscriptions: [{ Name: "large", Rules: rules }, { Name: "all" }] };
    const text = config({
      Queues: [{ Name: "orders", Properties: { LockDuration: "PT5S", ForwardTo: "" } }],
      Topics: [topic],
    });

    const engine = memoryEngine(emulatorConfig(text).entities);

    expect(await engine.admin.getQueue("orders")).toMatchObject({
      lockDuration: 5000,
      maxDeliveryCount: 3,
      defaultMessageTimeToLive: 3_600_000,
      forwardTo: undefined,
    });
    expect(await engine.admin.listSubscriptions("prices")).toEqual(["all", "large"]);
    const sender = await engine.openSender("prices");
    await sender.send(
      [2, 1].map((size) => createEnvelope({ payload: new Uint8Array(), applicationProperties: { size } })),
    );
    const copies = await engine.peek("prices/Subscriptions/large", { maxMessages: 9 });
    expect(copies.map(({ envelope }) => Object.entries(envelope.applicationProperties))).toEqual([
      [
        ["size", 2],
        ["a", 1n],
      ],
    ]);
    expect(await engine.peek("prices/Subscriptions/all", { maxMessages: 9 })).toHaveLength(2);
  });

  it("allows comments, and keeps what only looks like one", () => {
    const text = `// first\n${config({ Queues: [{ Name: "a//b", Properties: { UserMetadata: "/* kept */" } }] })} /* last */`;

    expect(Object.entries(emulatorConfig(text).entities.queues)).toMatchObject([
      ["a//b", { userMetadata: "/* kept */" }],
    ]);
  });

  it.each([
    [
      "an unknown property",
      { Queues: [{ Name: "q", Properties: { LockDuratoin: "PT1M" } }] },
      "$.UserConfig.Namespaces[0].Queues[0].Properties.LockDuratoin",
    ],
    [
      "a wrong type",
      { Queues: [{ Name: "q", Properties: { MaxDeliveryCount: "3" } }] },
      "$.UserConfig.Namespaces[0].Queues[0].Properties.MaxDeliveryCount",
    ],
    [
      "a wrong duration",
      { Topics: [{ Name: "t", Properties: { DefaultMessageTimeToLive: "1 h" } }] },
      "$.UserConfig.Namespaces[0].Topics[0].Properties.DefaultMessageTimeToLive",
    ],
    ["a missing name", { Queues: [{}] }, "$.UserConfig.Namespaces[0].Queues[0]"],
    [
      "a filter that is not there",
      {
        Topics: [
          { Name: "t", Subscriptions: [{ Name: "s", Rules: [{ Name: "r", Properties: { FilterType: "Sql" } }] }] },
        ],
      },
      "$.UserConfig.Namespaces[0].Topics[0].Subscriptions[0].Rules[0].Properties",
    ],
  ])("names the path of %s", (_what, namespace, path) => {
    const error = refusal(config(namespace));

    expect([error.code, error.path]).toEqual(["InvalidArgument", path]);
    expect(error.message).toContain(path);
  });

  it("names every unknown property at once, up to five", () => {
    const two = refusal(config({ Queues: [typo(0), typo(1)] }));
    const nine = refusal(config({ Queues: Array.from({ length: 9 }, (_, index) => typo(index)) }));

    expect(two.message).toMatch(/Queues\[0\]\.Oops.*Queues\[1\]\.Oops/);
    expect(nine.message).toMatch(/Queues\[4\]\.Oops [^;]*; and 4 more\.$/);
  });

  it("refuses a text that is not JSON", () => {
    const error = refusal('{ "UserConfig": nothing }');

    expect([error.code, error.path]).toEqual(["InvalidArgument", "$"]);
  });

  it("reads a text after a byte order mark", () => {
    expect(emulatorConfig(`\uFEFF${config({ Queues: [{ Name: "q" }] })}`).entities.queues).toHaveProperty("q");
  });

  it.each([
    ["Correlation", { SqlFilter: { SqlExpression: "1=1" }, CorrelationFilter: { Label: "a" } }, "SqlFilter"],
    ["Sql", { SqlFilter: { SqlExpression: "1=1" }, CorrelationFilter: { Label: "a" } }, "CorrelationFilter"],
  ])("refuses a filter of the type %s that comes with the other's", (FilterType, filters, wrong) => {
    const rule = { Name: "r", Properties: { FilterType, ...filters } };
    const error = refusal(config({ Topics: [{ Name: "t", Subscriptions: [{ Name: "s", Rules: [rule] }] }] }));

    expect(error.path).toMatch(new RegExp(`Rules\\[0\\]\\.Properties\\.${wrong}$`));
  });

  it("refuses two entities of one name, compared without case", () => {
    expect(refusal(config({ Queues: [{ Name: "q" }, { Name: "Q" }] })).code).toBe("InvalidArgument");
  });

  it("reads the keys that open the namespace, and names those that are wrong", () => {
    const keys = [
      { Name: "all", Key: "secret" },
      { Name: "reader", Key: "other", Rights: ["Listen"] },
    ];

    const configured = emulatorConfig(config({ SharedAccessKeys: keys }));

    expect(configured.keys).toEqual({
      all: { key: "secret", rights: undefined },
      reader: { key: "other", rights: ["Listen"] },
    });
    expect(emulatorConfig(config({})).keys).toBeUndefined();
    expect(refusal(config({ SharedAccessKeys: [{ Name: "a", Key: "b", Rights: ["Read"] }] })).path).toContain(
      "SharedAccessKeys",
    );
    expect(refusal(config({ SharedAccessKeys: [keys[0] ?? {}, { Name: "ALL", Key: "b" }] })).message).not.toContain(
      "secret",
    );
  });

  it("reads durations with a unit, too", async () => {
    const Queues = [{ Name: "orders", Properties: { LockDuration: "30s", DefaultMessageTimeToLive: "1.5h" } }];
    const engine = memoryEngine(emulatorConfig({ UserConfig: { Namespaces: [{ Name: "n", Queues }] } }).entities);

    expect(await engine.admin.getQueue("orders")).toMatchObject({
      lockDuration: 30_000,
      defaultMessageTimeToLive: 5_400_000,
    });
  });

  it("has the schema that the package publishes", () => {
    const published: unknown = JSON.parse(
      readFileSync(new URL("../../../schemas/emulator-config.schema.json", import.meta.url), "utf8"),
    );

    expect(published).toEqual(JSON.parse(JSON.stringify(emulatorConfigSchema)));
  });

  it("reads the official emulator's own sample", needsVectors("emulator/Config.sample.json"), async () => {
    const text = readFileSync(`${vectors}/emulator/Config.sample.json`, "utf8");

    const engine = memoryEngine(emulatorConfig(text).entities);

    expect(await engine.admin.listQueues()).toEqual(["queue.1"]);
    expect(await engine.admin.listSubscriptions("topic.1")).toHaveLength(4);
    expect((await engine.admin.listRules("topic.1", "subscription.4"))[0]?.action?.expression).toBe(
      "SET sys.To = 'Entity'",
    );
  });
});
