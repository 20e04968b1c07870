import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Server, startServer } from "../../../../src/serve/server/index.ts";

const connect = "http://schemas.microsoft.com/netservices/2010/10/servicebus/connect";

/** An Atom entry with a description, as the official clients put it. */
const entry = (description: string, elements = ""): string =>
  `<entry xmlns="http://www.w3.org/2005/Atom"><content type="application/xml"><${description} xmlns="${connect}">${elements}</${description}></content></entry>`;

const sqlFilter = (expression: string): string =>
  `<Filter i:type="SqlFilter" xmlns:i="http://www.w3.org/2001/XMLSchema-instance"><SqlExpression>${expression}</SqlExpression></Filter>`;

const correlationFilter = (label: string): string =>
  `<Filter i:type="CorrelationFilter" xmlns:i="http://www.w3.org/2001/XMLSchema-instance"><Label>${label}</Label></Filter>`;

const subscriptionSettings = (lock: string): string =>
  `<LockDuration>${lock}</LockDuration><MaxDeliveryCount>5</MaxDeliveryCount><ForwardTo>sb://localhost/q</ForwardTo>`;

describe("the administration of entities over HTTP", () => {
  let server: Server;

  beforeEach(async () => {
    server = await startServer({ queues: ["q"], topics: { t: { subscriptions: ["one", "two"] } } });
  });
  afterEach(() => server.close());

  async function ask(
    method: "GET" | "PUT" | "DELETE",
    path: string,
    { body, isUpdate = false }: { readonly body?: string; readonly isUpdate?: boolean } = {},
  ): Promise<{ readonly status: number; readonly text: string }> {
    const url = new URL(path, `http://localhost:${server.port}`);
    if (!url.searchParams.has("api-version")) url.searchParams.set("api-version", "2024-05");
    const headers = isUpdate ? { "if-match": "*" } : {};
    const response = await fetch(url, { method, headers, ...(body === undefined ? {} : { body }) });
    return { status: response.status, text: await response.text() };
  }

  const put = async (path: string, description: string, elements?: string): Promise<number> =>
    (await ask("PUT", path, { body: entry(description, elements) })).status;

  it.each(["2021-05", "2024-05"])("repeats the version of the request in links: %s", async (version) => {
    const query = `?api-version=${version}`;

    const made = await ask("PUT", `/made${query}`, { body: entry("QueueDescription") });
    const read = await ask("GET", `/q${query}`);
    const page = await ask("GET", `/$Resources/queues${query}&$top=1`);

    for (const { text } of [made, read, page]) {
      const versions = Array.from(text.matchAll(/api-version=(\d{4}-\d\d)/g), ([, found]) => found);
      expect(new Set(versions)).toEqual(new Set([version]));
    }
    expect(page.text).toContain('rel="next"');
  });

  it("repeats no version that is not one", async () => {
    const { text } = await ask("GET", "/q?api-version=%22%3E%3Cx%2F%3E");

    expect(text).toContain("api-version=2021-05");
    expect(text).not.toContain("<x/>");
  });

  it("counts the filters of a topic by kind, the default rule as SQL", async () => {
    await put("/t/Subscriptions/one/Rules/sql", "RuleDescription", sqlFilter("n = 1"));
    await put("/t/Subscriptions/one/Rules/eu", "RuleDescription", correlationFilter("eu"));
    await put("/t/Subscriptions/two/Rules/us", "RuleDescription", correlationFilter("us"));
    await ask("DELETE", "/t/Subscriptions/two/Rules/$Default");

    const { text } = await ask("GET", "/t");

    expect(text).toContain("<SqlFilterCount>2</SqlFilterCount>");
    expect(text).toContain("<CorrelationFilterCount>2</CorrelationFilterCount>");
  });

  it.each([
    ["/made", "QueueDescription"],
    ["/made", "TopicDescription"],
    ["/t/Subscriptions/made", "SubscriptionDescription"],
  ])("keeps whether work is batched: %s, a %s", async (path, description) => {
    const isBatched = async (): Promise<string | undefined> =>
      /<EnableBatchedOperations>(\w+)</.exec((await ask("GET", path)).text)?.[1];

    await put(path, description, "<EnableBatchedOperations>false</EnableBatchedOperations>");
    const made = await isBatched();
    await ask("PUT", path, { isUpdate: true, body: entry(description) });

    expect([made, await isBatched()]).toEqual(["false", "true"]);
  });

  it("answers a transport that looks for its subscription, creates, compares and updates it at every start", async () => {
    const subscription = "/t/Subscriptions/orders";
    const update = entry("SubscriptionDescription", subscriptionSettings("PT5M"));

    const missing = await ask("GET", `${subscription}?enrich=False`);
    const created = await put(subscription, "SubscriptionDescription", subscriptionSettings("PT1M"));
    const again = await put(subscription, "SubscriptionDescription", subscriptionSettings("PT1M"));
    const updated = await ask("PUT", subscription, { isUpdate: true, body: update });
    const rule = await ask("PUT", `${subscription}/Rules/$Default`, {
      isUpdate: true,
      body: entry("RuleDescription", sqlFilter("n = 1")),
    });
    const rules = await ask("GET", `${subscription}/rules?$skip=0&$top=100`);

    expect([missing.status, created, again, updated.status, rule.status, rules.status]).toEqual([
      404, 201, 409, 200, 200, 200,
    ]);
    expect(updated.text).toContain("<LockDuration>PT5M</LockDuration>");
    expect(rules.text).toContain("<SqlExpression>n = 1</SqlExpression>");
  });

  it("answers a transport that checks its rights by looking for a queue that does not exist", async () => {
    const { status } = await ask("GET", "/$nservicebus-verification-queue?enrich=False");

    expect(status).toBe(404);
  });

  it("makes and deletes a queue for responses with a time to live", async () => {
    const idle = "<DefaultMessageTimeToLive>PT5M</DefaultMessageTimeToLive><AutoDeleteOnIdle>PT5M</AutoDeleteOnIdle>";
    const path = "/wolverine.response.7c9e6679-7425-40de-944b-e07fc1f90ae7";

    const statuses = [
      await put(path, "QueueDescription", idle),
      (await ask("GET", path)).status,
      (await ask("DELETE", path)).status,
      (await ask("GET", path)).status,
      (await ask("DELETE", path)).status,
    ];

    expect(statuses).toEqual([201, 200, 200, 404, 404]);
  });

  it("replaces the default rule of a new subscription by rules on subjects", async () => {
    const rules = "/t/Subscriptions/one/Rules";

    const statuses = [
      await put(`${rules}/order.created`, "RuleDescription", correlationFilter("order.created")),
      await put(`${rules}/order.created`, "RuleDescription", correlationFilter("order.created")),
      (await ask("DELETE", `${rules}/$Default`)).status,
      (await ask("DELETE", `${rules}/$Default`)).status,
    ];

    expect(statuses).toEqual([201, 409, 200, 404]);
    expect(await server.engine.admin.listRules("t", "one")).toMatchObject([
      { name: "order.created", filter: { kind: "correlation", subject: "order.created" } },
    ]);
  });
});
