import type { JsonSchema } from "../../../core/json-schema/json-schema-type.ts";
import type { ControlRoute } from "./control.ts";
import { controlRoutes } from "./routes.ts";

/** The path that everything of the control is below; no entity's name starts with `$`. */
export const controlPath = "$control";

interface Description {
  readonly [member: string]: unknown;
}

/** The OpenAPI 3.1 description of the control. */
export function describeControl(): Description {
  const paths: Record<string, Description> = {};
  for (const route of controlRoutes) {
    const path = `/${controlPath}/${route.path}`;
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Control of sobre serve",
      version: "1",
      description:
        "Controls a broker from tests. A server with keys requires a shared access signature for the whole namespace in the Authorization header.",
    },
    security: [{}, { sharedAccessSignature: [] }],
    paths,
    components: {
      securitySchemes: { sharedAccessSignature: { type: "apiKey", in: "header", name: "Authorization" } },
      responses: { error: { description: "The request was refused; nothing has changed.", content: ofJson(error) } },
    },
  };
}

const text = { type: "string" } as const;
const error = {
  type: "object",
  properties: {
    error: { type: "object", properties: { code: text, message: text, path: text }, required: ["code", "message"] },
  },
  required: ["error"],
} as const;

const namespace = "The name of a namespace besides the server's own. Default: the namespace of the request's key.";

function operation({ operationId, summary, path, query = {}, body, status, answer }: ControlRoute): Description {
  const [, name] = /\{(\w+)\}/.exec(path) ?? [];
  const queries = path.startsWith("namespaces") || path === "clock" ? query : { ...query, namespace };
  return {
    operationId,
    summary,
    parameters: [
      ...(name === undefined ? [] : [{ name, in: "path", required: true, schema: text }]),
      ...Object.entries(queries).map(([key, description]) => ({ name: key, in: "query", description, schema: text })),
    ],
    ...(body !== undefined && { requestBody: { required: true, content: ofJson(body) } }),
    responses: {
      [String(status)]: answer === undefined ? { description: "Done." } : withSchema(answer),
      default: { $ref: "#/components/responses/error" },
    },
  };
}

const withSchema = ({ description, schema }: NonNullable<ControlRoute["answer"]>): Description => ({
  description,
  content: ofJson(schema),
});

const ofJson = (schema: JsonSchema): Description => ({ "application/json": { schema } });
