/** A refusal by the API. */
export class ApiError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const tokenKey = "sobre-inspector-token";

/** Keeps the token of this tab until it is closed. */
export const keepToken = (token: string): void => sessionStorage.setItem(tokenKey, token);

/** Parameters of a request; those that are `undefined` are left out. */
export type Query = Readonly<Record<string, string | undefined>>;

const base = new URL("api/", import.meta.url);

async function ask(path: string, query: Query, init: RequestInit = {}): Promise<Response> {
  const url = new URL(path, base);
  for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, value);
  const token = sessionStorage.getItem(tokenKey);
  const headers = new Headers(init.headers);
  if (token !== null) headers.set("authorization", token);
  const response = await fetch(url, { ...init, headers });
  if (response.ok) return response;
  const refusal: { readonly error?: { readonly message?: string } } = await response.json().catch(() => ({}));
  throw new ApiError(response.status, refusal.error?.message ?? `The server answered ${response.status}.`);
}

/** @throws ApiError */
export async function getJson<Answer>(path: string, query: Query = {}, signal?: AbortSignal): Promise<Answer> {
  const response = await ask(path, query, signal === undefined ? {} : { signal });
  const answer: Answer = await response.json();
  return answer;
}

/** @throws ApiError */
export async function getText(path: string, query: Query): Promise<string> {
  return (await ask(path, query)).text();
}

/** @throws ApiError */
export async function postJson<Answer>(path: string, body: unknown, signal?: AbortSignal): Promise<Answer> {
  const headers = { "content-type": "application/json" };
  const init = { method: "POST", headers, body: JSON.stringify(body) };
  const response = await ask(path, {}, signal === undefined ? init : { ...init, signal });
  const answer: Answer = await response.json();
  return answer;
}

/** The reason of a failed request, for a person. */
export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : "The request failed.");
