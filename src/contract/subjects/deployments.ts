import { SobreError } from "../../core/errors/sobre-error.ts";
import { isObject } from "../json-schema/json-value.ts";
import { pairsWithin, pairsWithOthers, type VersionPair } from "./subject-pairs.ts";
import type { ServiceVersions, Subject } from "./subject.ts";

/** The versions of each subject that a deployed service sends and reads. */
interface Deployment {
  readonly version: string;
  readonly subjects: Readonly<Record<string, Pick<ServiceVersions, "produces" | "consumes">>>;
}

/** Deployments by environment and service. */
export type Deployments = Readonly<Record<string, Readonly<Record<string, Deployment>>>>;

/** Reads deployments from their JSON. @throws SobreError `InvalidArgument` naming the place that is wrong. */
export function deploymentsFrom(value: unknown): Deployments {
  return membersOf(value, "", (services, environment) =>
    membersOf(services, environment, (deployment, place) => {
      const { version, subjects } = objectAt(deployment, place);
      return { version: String(version), subjects: membersOf(subjects, `${place}.subjects`, versionsAt) };
    }),
  );
}

function versionsAt(value: unknown, place: string): Pick<ServiceVersions, "produces" | "consumes"> {
  const { produces, consumes } = objectAt(value, place);
  return { produces: textsOf(produces, `${place}.produces`), consumes: textsOf(consumes, `${place}.consumes`) };
}

/** An object with what `read` makes of each member, whose place it is given. */
function membersOf<T>(value: unknown, place: string, read: (member: unknown, place: string) => T): Record<string, T> {
  const prefix = place === "" ? "" : `${place}.`;
  return Object.fromEntries(
    Object.entries(objectAt(value, place)).map(([name, member]) => [name, read(member, prefix + name)]),
  );
}

function objectAt(value: unknown, place: string): Readonly<Record<string, unknown>> {
  if (isObject(value)) return value;
  throw new SobreError("InvalidArgument", `The file of deployments: ${place || "it"} must be an object.`);
}

function textsOf(value: unknown, place: string): readonly string[] {
  if (value === undefined) return [];
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value;
  throw new SobreError("InvalidArgument", `The file of deployments: ${place} must be a list of strings.`);
}

/** The deployments of an environment, by service. */
export function deployedTo(deployments: Deployments, environment: string): Deployments[string] {
  return Object.hasOwn(deployments, environment) ? (deployments[environment] ?? {}) : {};
}

/** @throws SobreError `InvalidArgument` for a service that no subject lists, so that nothing of it would be compared. */
export function checkListed(subjects: readonly Subject[], service: string): void {
  if (subjects.some(({ inFlight }) => inFlight.some((one) => one.service === service))) return;
  throw new SobreError(
    "InvalidArgument",
    `No subject.json lists ${service} in inFlight. Add the versions that it produces and consumes.`,
  );
}

/** The deployments with one service as the subjects have it in flight now. */
export function withDeployed(
  before: Deployments,
  { service, version, environment }: Readonly<Record<"service" | "version" | "environment", string>>,
  subjects: readonly Subject[],
): Deployments {
  checkListed(subjects, service);
  const own = subjects.flatMap(({ name, inFlight }) =>
    inFlight
      .filter((one) => one.service === service)
      .map(({ produces, consumes }) => [name, { produces, consumes }] as const),
  );
  const deployment = { version, subjects: Object.fromEntries(own) };
  return { ...before, [environment]: { ...deployedTo(before, environment), [service]: deployment } };
}

/** The pairs of versions that meet once a service is deployed, as it is here, next to others. */
export function pairsOfService(
  subjects: readonly Subject[],
  service: string,
  deployed: Deployments[string],
): readonly VersionPair[] {
  return subjects.flatMap((subject) => {
    const own = { ...subject, inFlight: subject.inFlight.filter((one) => one.service === service) };
    if (own.inFlight.length === 0) return [];
    const inFlight = othersOf(subject, service, deployed);
    const pairs = [
      ...pairsWithin(own),
      // Without another service, every version would count as in flight.
      ...(inFlight.length === 0 ? [] : pairsWithOthers([own], [{ ...subject, inFlight }])),
    ];
    return Array.from(new Map(pairs.map((pair) => [keyOf(pair), pair])).values());
  });
}

function keyOf({ older, newer, direction, isUpcast }: VersionPair): string {
  return `${older.version} ${newer.version} ${direction} ${isUpcast === true}`;
}

/** The subjects with the versions in flight that services have deployed, instead of those that are listed. */
export function subjectsIn(subjects: readonly Subject[], deployed: Deployments[string]): readonly Subject[] {
  return subjects.map((subject) => ({ ...subject, inFlight: othersOf(subject, undefined, deployed) }));
}

/**
 * The deployed versions that are not here, so that nothing of them is compared: one sentence each. Those that a service meets,
 * or all without it.
 */
export function unknownDeployed(
  subjects: readonly Subject[],
  service: string | undefined,
  deployed: Deployments[string],
): readonly string[] {
  return subjects.flatMap((subject) => {
    if (service !== undefined && !subject.inFlight.some((one) => one.service === service)) return [];
    const known = new Set(subject.versions.map(({ version }) => version));
    return othersOf(subject, service, deployed).flatMap(({ service: other, produces, consumes }) =>
      Array.from(new Set([...produces, ...consumes]))
        .filter((version) => !known.has(version))
        .map(
          (version) =>
            `${other} has ${subject.name} ${version} deployed, which is not here, so nothing of it is compared. Add its file.`,
        ),
    );
  });
}

function othersOf(
  { name: subject }: Subject,
  service: string | undefined,
  deployed: Deployments[string],
): readonly ServiceVersions[] {
  return Object.entries(deployed).flatMap(([name, { subjects }]) => {
    const versions = Object.hasOwn(subjects, subject) ? subjects[subject] : undefined;
    return name === service || versions === undefined ? [] : [{ service: name, ...versions }];
  });
}
