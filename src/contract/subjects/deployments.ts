import { SobreError } from "../../errors/sobre-error.ts";
import { isObject } from "../json-schema/json-value.ts";
import { parseJson } from "./subject-files.ts";
import { type ServiceVersions, type Subject } from "./subject.ts";

/** The versions of each subject that a deployed service sends and reads. */
interface Deployment {
  readonly version: string;
  readonly subjects: Readonly<Record<string, Pick<ServiceVersions, "produces" | "consumes">>>;
}

/** Deployments by environment and service. */
export type Deployments = Readonly<Record<string, Readonly<Record<string, Deployment>>>>;

/** Parses the file of deployments. @throws SobreError `InvalidArgument` naming the place that is wrong. */
export function parseDeployments(text: string): Deployments {
  const json = objectAt(parseJson(text, "The file of deployments"), "it");
  return Object.fromEntries(
    Object.entries(json).map(([environment, services]) => [
      environment,
      Object.fromEntries(
        Object.entries(objectAt(services, environment)).map(([service, deployment]) => {
          const { version, subjects } = objectAt(deployment, `${environment}.${service}`);
          const place = `${environment}.${service}.subjects`;
          return [
            service,
            {
              version: String(version),
              subjects: Object.fromEntries(
                Object.entries(objectAt(subjects, place)).map(([name, lists]) => {
                  const { produces, consumes } = objectAt(lists, `${place}.${name}`);
                  return [name, { produces: textsOf(produces), consumes: textsOf(consumes) }];
                }),
              ),
            },
          ];
        }),
      ),
    ]),
  );
}

function objectAt(value: unknown, place: string): Readonly<Record<string, unknown>> {
  if (isObject(value)) return value;
  throw new SobreError("InvalidArgument", `The file of deployments: ${place} must be an object.`);
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

/** The deployments with one service as the subjects have it in flight now. */
export function withDeployed(
  before: Deployments,
  {
    service,
    version,
    environment,
  }: { readonly service: string; readonly version: string; readonly environment: string },
  subjects: readonly Subject[],
): Deployments {
  const own = subjects.flatMap(({ name, inFlight }) =>
    inFlight
      .filter((one) => one.service === service)
      .map(({ produces, consumes }) => [name, { produces, consumes }] as const),
  );
  if (own.length === 0)
    throw new SobreError(
      "InvalidArgument",
      `No subject.json lists ${service} in inFlight. Add what it produces and consumes.`,
    );
  const deployment = { version, subjects: Object.fromEntries(own) };
  return { ...before, [environment]: { ...before[environment], [service]: deployment } };
}

/** The subjects with a service as they have it now, among the other services that are deployed to an environment. */
export function subjectsAmong(
  subjects: readonly Subject[],
  service: string,
  deployed: Deployments[string],
): readonly Subject[] {
  return subjects.flatMap((subject) => {
    const own = subject.inFlight.filter((one) => one.service === service);
    const others = Object.entries(deployed).flatMap(([name, { subjects: lists }]) => {
      const versions = lists[subject.name];
      return name === service || versions === undefined ? [] : [{ service: name, ...versions }];
    });
    return own.length === 0 ? [] : [{ ...subject, inFlight: [...own, ...others] }];
  });
}
