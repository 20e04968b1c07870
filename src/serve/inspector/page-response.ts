import { createHash } from "node:crypto";
import type { HttpRequest, HttpResponse } from "../server/http/http-message.ts";
import { type PageFiles, pageFiles } from "./page-files.ts";

/** Only files of the inspector itself are loaded and asked; the page contains no inline scripts. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join("; ");

/** Headers of every answer. */
export const safeHeaders: Readonly<Record<string, string>> = {
  "content-security-policy": policy,
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
};

interface PageFile {
  readonly type: string;
  readonly text: string;
  readonly tag: string;
}

let files: Promise<ReadonlyMap<string, PageFile>> | undefined;

/** Answers a request for the page or one of its files; `undefined` for any other name. */
export async function pageResponse(
  name: string,
  { method, headers }: HttpRequest,
  path: string,
): Promise<HttpResponse | undefined> {
  files ??= pageFiles().then((made) => filesOf(made));
  const found = (await files).get(name);
  if (found === undefined) return undefined;
  const caching = { etag: found.tag, "cache-control": "no-cache" };
  if (headers["if-none-match"] === found.tag) return { status: 304, headers: { ...safeHeaders, ...caching } };
  const text = name === "" ? found.text.replaceAll("{path}", path) : found.text;
  const answer = { status: 200, headers: { ...safeHeaders, ...caching, "content-type": found.type } };
  return method === "HEAD" ? answer : { ...answer, body: text };
}

function filesOf({ script, style }: PageFiles): ReadonlyMap<string, PageFile> {
  return new Map([
    ["", file("text/html", page)],
    ["app.js", file("text/javascript", script)],
    ["app.css", file("text/css", style)],
  ]);
}

const file = (type: string, text: string): PageFile => ({
  type: `${type}; charset=utf-8`,
  text,
  tag: `"${createHash("sha256").update(text).digest("base64url").slice(0, 22)}"`,
});

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>sobre inspector</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/{path}/app.css">
<script type="module" src="/{path}/app.js"></script>
</head>
<body>
<div id="app"></div>
<noscript>The inspector needs JavaScript.</noscript>
</body>
</html>
`;
