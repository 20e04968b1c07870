import type { Engine } from "../../../core/engine/engine.ts";
import type { EngineAdmin } from "../../../core/engine/admin.ts";
import type { RuleProperties } from "../../../core/engine/rules.ts";
import { SobreError } from "../../../core/errors/sobre-error.ts";
import {
  type DescribedEntity,
  readDescription,
  readUpdate,
  writeDescription,
} from "../../../wire/http/atom-description.ts";
import { readRule, writeRule } from "../../../wire/http/atom-rule.ts";
import { pathOf } from "../amqp/node-address.ts";
import type { HttpRequest, HttpResponse } from "./http-message.ts";
import { notAllowed } from "./refusal.ts";
import { type HttpXmlElement, child, escaped, readXml } from "../../../wire/http/xml.ts";

/** Maximum size of a description in bytes; a rule with long filters has a few thousand. */
const maxBytes = 2 ** 20;

/** The resource that a path names. */
type Resource =
  | { readonly kind: "entity"; readonly name: string }
  | { readonly kind: "subscription"; readonly topic: string; readonly name: string }
  | { readonly kind: "rule"; readonly topic: string; readonly subscription: string; readonly name: string }
  | { readonly kind: "queues" | "topics" | "namespace" }
  | { readonly kind: "subscriptions"; readonly topic: string }
  | { readonly kind: "rules"; readonly topic: string; readonly subscription: string };

/** Parses an administration path. */
export function resourceOf(path: string): Resource {
  const lower = path.toLowerCase();
  if (lower === "$resources/queues") return { kind: "queues" };
  if (lower === "$resources/topics") return { kind: "topics" };
  if (lower === "$namespaceinfo") return { kind: "namespace" };
  const parts = path.split("/");
  const names = lower.split("/");
  const below = (depth: number): string => parts.slice(0, -depth).join("/");
  const [subscription = "", , rule = ""] = parts.slice(-3);
  if (parts.length > 4 && names.at(-4) === "subscriptions" && names.at(-2) === "rules")
    return { kind: "rule", topic: below(4), subscription, name: rule };
  if (parts.length > 3 && names.at(-3) === "subscriptions" && names.at(-1) === "rules")
    return { kind: "rules", topic: below(3), subscription: parts.at(-2) ?? "" };
  if (parts.length > 2 && names.at(-2) === "subscriptions")
    return { kind: "subscription", topic: below(2), name: parts.at(-1) ?? "" };
  if (parts.length > 1 && names.at(-1) === "subscriptions") return { kind: "subscriptions", topic: below(1) };
  return { kind: "entity", name: path };
}

/** Answers a request to create, read, update, list or delete entities. @throws SobreError as `EngineAdmin` does. */
export async function answerAtom(request: HttpRequest, engine: Engine, manages: Manages): Promise<HttpResponse> {
  const resource = resourceOf(request.path);
  const { admin } = engine;
  const site = { host: request.headers["host"] ?? "localhost", apiVersion: apiVersionIn(request.query) };
  switch (request.method) {
    case "GET":
      return get(resource, admin, site, request);
    case "PUT": {
      const isUpdate = request.headers["if-match"] !== undefined;
      const description = descriptionIn(await request.body(maxBytes));
      await checkForwardingRights(description, manages);
      await put(resource, admin, description, isUpdate);
      const made = await readEntry(resource, admin);
      return { ...xml(entry(made, site)), status: isUpdate ? 200 : 201 };
    }
    case "DELETE":
      await remove(resource, admin);
      return { status: 200 };
    default:
      return notAllowed("GET, PUT, DELETE");
  }
}

/** The server as a client addresses it, for links. */
interface Site {
  readonly host: string;
  readonly apiVersion: string;
}

/** The version of a request. Default: the one before the newest, which older clients expect. */
function apiVersionIn(query: URLSearchParams): string {
  const asked = query.get("api-version") ?? "";
  return /^\d{4}-\d{2}(-\d{2})?$/.test(asked) ? asked : "2021-05";
}

function descriptionIn(body: Uint8Array): HttpXmlElement | undefined {
  return child(readXml(Buffer.from(body).toString("utf8")), "content")?.children[0];
}

/** Whether the client may forward to an entity; the header may carry a token for that. */
type Manages = (entity: string, header: string) => Promise<boolean>;

/** The elements that name an entity to forward to, and the headers with a token for it. */
const forwarding = [
  ["ForwardTo", "servicebussupplementaryauthorization"],
  ["ForwardDeadLetteredMessagesTo", "servicebusdlqsupplementaryauthorization"],
] as const;

/**
 * Checks the client's rights on the entities to forward to.
 *
 * @throws SobreError `UnauthorizedAccess` without Manage on one.
 */
async function checkForwardingRights(description: HttpXmlElement | undefined, manages: Manages): Promise<void> {
  for (const [field, header] of forwarding) {
    const text = child(description, field)?.text.trim() ?? "";
    if (text === "") continue;
    const entity = pathOf(text);
    if (!(await manages(entity, header)))
      throw new SobreError("UnauthorizedAccess", `The token does not grant Manage on the entity in ${field}.`);
  }
}

async function put(
  resource: Resource,
  admin: EngineAdmin,
  description: HttpXmlElement | undefined,
  isUpdate: boolean,
): Promise<void> {
  switch (resource.kind) {
    case "entity":
      if (description?.name === "TopicDescription") {
        await (isUpdate
          ? admin.updateTopic(resource.name, readUpdate("Topic", description))
          : admin.createTopic(resource.name, readDescription("Topic", description)));
        return;
      }
      if (description?.name !== "QueueDescription") throw unknownDescription();
      await (isUpdate
        ? admin.updateQueue(resource.name, readUpdate("Queue", description))
        : admin.createQueue(resource.name, readDescription("Queue", description)));
      return;
    case "subscription": {
      if (isUpdate)
        return admin.updateSubscription(resource.topic, resource.name, readUpdate("Subscription", description));
      const options = readDescription("Subscription", description);
      const rule = child(description, "DefaultRuleDescription");
      const rules =
        rule === undefined ? undefined : [{ name: child(rule, "Name")?.text ?? "$Default", ...readRule(rule) }];
      return admin.createSubscription(resource.topic, resource.name, { ...options, rules });
    }
    case "rule": {
      const { topic, subscription, name } = resource;
      const rule = readRule(description);
      if (!isUpdate) return admin.createRule(topic, subscription, name, rule);
      return replaceRule(admin, resource, rule);
    }
    default:
      throw new SobreError("InvalidOperation", "A list cannot be written. Write its members one by one.");
  }
}

/** Replaces a rule; the old one stays if the new one is refused. */
async function replaceRule(
  admin: EngineAdmin,
  { topic, subscription, name }: Extract<Resource, { kind: "rule" }>,
  rule: Omit<RuleProperties, "name">,
): Promise<void> {
  const rules = await admin.listRules(topic, subscription);
  const before = rules.find((one) => one.name.toLowerCase() === name.toLowerCase());
  await admin.deleteRule(topic, subscription, name);
  try {
    await admin.createRule(topic, subscription, name, rule);
  } catch (error) {
    if (before !== undefined) await admin.createRule(topic, subscription, before.name, before);
    throw error;
  }
}

async function remove(resource: Resource, admin: EngineAdmin): Promise<void> {
  switch (resource.kind) {
    case "entity":
      return (await admin.topicExists(resource.name))
        ? admin.deleteTopic(resource.name)
        : admin.deleteQueue(resource.name);
    case "subscription":
      return admin.deleteSubscription(resource.topic, resource.name);
    case "rule":
      return admin.deleteRule(resource.topic, resource.subscription, resource.name);
    default:
      throw new SobreError("InvalidOperation", "A list cannot be deleted. Delete its members one by one.");
  }
}

/** An entry of a feed. */
interface Entry {
  readonly path: string;
  readonly title: string;
  readonly description: string;
  readonly elements: string;
}

async function readEntry(resource: Resource, admin: EngineAdmin): Promise<Entry> {
  switch (resource.kind) {
    case "entity":
      return (await admin.topicExists(resource.name))
        ? topicEntry(admin, resource.name)
        : queueEntry(admin, resource.name);
    case "subscription":
      return subscriptionEntry(admin, resource.topic, resource.name);
    case "rule": {
      const rules = await admin.listRules(resource.topic, resource.subscription);
      const found = rules.find(({ name }) => name.toLowerCase() === resource.name.toLowerCase());
      if (found !== undefined) return ruleEntry(resource.topic, resource.subscription, found);
      throw new SobreError("MessagingEntityNotFound", `The messaging entity '${resource.name}' could not be found.`);
    }
    default:
      throw new SobreError("InvalidOperation", "A list has no description. Read its members instead.");
  }
}

async function queueEntry(admin: EngineAdmin, name: string): Promise<Entry> {
  const [options, counts] = await Promise.all([admin.getQueue(name), admin.getQueueRuntimeProperties(name)]);
  return described("Queue", name, writeDescription("Queue", options, counts));
}

async function topicEntry(admin: EngineAdmin, name: string): Promise<Entry> {
  const [options, runtime] = await Promise.all([admin.getTopic(name), admin.getTopicRuntimeProperties(name)]);
  return described("Topic", name, writeDescription("Topic", options, runtime));
}

async function subscriptionEntry(admin: EngineAdmin, topicName: string, name: string): Promise<Entry> {
  const [options, counts] = await Promise.all([
    admin.getSubscription(topicName, name),
    admin.getSubscriptionRuntimeProperties(topicName, name),
  ]);
  const elements = writeDescription("Subscription", options, counts);
  return { ...described("Subscription", name, elements), path: `${topicName}/Subscriptions/${name}` };
}

const ruleEntry = (topicName: string, subscriptionName: string, one: Parameters<typeof writeRule>[0]): Entry => ({
  path: `${topicName}/Subscriptions/${subscriptionName}/Rules/${one.name}`,
  title: one.name,
  description: "RuleDescription",
  elements: writeRule(one),
});

const described = (what: DescribedEntity, name: string, elements: string): Entry => ({
  path: name,
  title: name,
  description: `${what}Description`,
  elements,
});

async function get(
  resource: Resource,
  admin: EngineAdmin,
  site: Site,
  { query, path, isSecure }: HttpRequest,
): Promise<HttpResponse> {
  const cut = new Page(query);
  const entries = await list(resource, admin, cut);
  if (entries !== undefined)
    return xml(feed(entries, cut, `${isSecure ? "https" : "http"}://${site.host}/${encodeURI(path)}`, site));
  if (resource.kind === "namespace") return xml(namespaceEntry(site));
  return xml(entry(await readEntry(resource, admin), site));
}

/** Clients look for the next page only if there are at least two links. */
function feed(entries: readonly Entry[], { next }: Page, url: string, site: Site): string {
  const self = `<link rel="self" href="${escaped(url)}"/>`;
  const more = next === undefined ? "" : `<link rel="next" href="${escaped(`${url}?${next}`)}"/>`;
  const shown = entries.map((one) => entry(one, site)).join("");
  return `<feed xmlns="http://www.w3.org/2005/Atom"><title type="text">list</title>${self}${more}${shown}</feed>`;
}

async function list(resource: Resource, admin: EngineAdmin, page: Page): Promise<readonly Entry[] | undefined> {
  switch (resource.kind) {
    case "queues":
      return Promise.all(page.cut(await admin.listQueues()).map((name) => queueEntry(admin, name)));
    case "topics":
      return Promise.all(page.cut(await admin.listTopics()).map((name) => topicEntry(admin, name)));
    case "subscriptions": {
      const names = page.cut(await admin.listSubscriptions(resource.topic));
      return Promise.all(names.map((name) => subscriptionEntry(admin, resource.topic, name)));
    }
    case "rules": {
      const { topic: topicName, subscription: name } = resource;
      return page.cut(await admin.listRules(topicName, name)).map((one) => ruleEntry(topicName, name, one));
    }
    default:
      return undefined;
  }
}

const connect = "http://schemas.microsoft.com/netservices/2010/10/servicebus/connect";

function entry({ path, title, description, elements }: Entry, { host, apiVersion }: Site): string {
  const now = new Date().toISOString();
  const id = `https://${host}/${encodeURI(path)}?api-version=${apiVersion}`;
  return `<entry xmlns="http://www.w3.org/2005/Atom"><id>${escaped(id)}</id><title type="text">${escaped(title)}</title><published>${now}</published><updated>${now}</updated><content type="application/xml"><${description} xmlns="${connect}" xmlns:i="http://www.w3.org/2001/XMLSchema-instance">${elements}</${description}></content></entry>`;
}

function namespaceEntry(site: Site): string {
  const now = new Date().toISOString();
  const elements = `<CreatedTime>${now}</CreatedTime><MessagingSKU>Standard</MessagingSKU><ModifiedTime>${now}</ModifiedTime><Name>sobre</Name><NamespaceType>Messaging</NamespaceType>`;
  return entry({ path: "$namespaceinfo", title: "sobre", description: "NamespaceInfo", elements }, site);
}

const xml = (body: string): HttpResponse => ({
  status: 200,
  headers: { "content-type": "application/atom+xml;type=entry;charset=utf-8" },
  body,
});

const unknownDescription = (): SobreError =>
  new SobreError("InvalidArgument", "The body must be an Atom entry with a QueueDescription or TopicDescription.");

/** The page of a list that a request selects with `$skip` and `$top`. */
class Page {
  readonly #skip: number;
  readonly #top: number;
  readonly #apiVersion: string;
  /** The query of the next page; `undefined` when there is none. */
  next: string | undefined;

  constructor(query: URLSearchParams) {
    this.#skip = countOf(query, "$skip", 0) ?? 0;
    this.#top = countOf(query, "$top", 1) ?? 100;
    this.#apiVersion = apiVersionIn(query);
    if ((query.get("$filter") ?? "") === "") return;
    throw new SobreError(
      "InvalidArgument",
      "Invalid Filter: lists are not filtered here. Read the whole list, and select from it.",
    );
  }

  cut<T>(all: readonly T[]): readonly T[] {
    const end = this.#skip + this.#top;
    this.next = end < all.length ? `api-version=${this.#apiVersion}&$skip=${end}&$top=${this.#top}` : undefined;
    return all.slice(this.#skip, end);
  }
}

function countOf(query: URLSearchParams, name: string, least: number): number | undefined {
  const text = query.get(name);
  if (text === null || text === "") return undefined;
  if (/^\d{1,9}$/.test(text) && Number(text) >= least) return Number(text);
  throw new SobreError("InvalidArgument", `${name} must be a whole number from ${least} up.`);
}
