import { isIP } from "node:net";
import { isLoopback, ownSuffixes } from "./host-names.ts";

/** The headers with the origin and host of a request. */
export interface RequestSource {
  readonly host?: string | undefined;
  readonly origin?: string | undefined;
}

/**
 * Why a server without keys refuses an HTTP request; `undefined` if it does not.
 *
 * Any web page can send requests to this machine, even under a host name of its own that resolves here.
 */
export function refusalOfPage({ host, origin }: RequestSource, trustedNetwork: boolean = false): string | undefined {
  const isExpected = trustedNetwork ? isLocalName : isOwnName;
  if (host !== undefined && !isExpected(nameOf(`http://${host}`)))
    return "The host name is not one of this machine. Connect to localhost, or start the server with keys.";
  if (origin !== undefined && !isLocalOrigin(origin, host))
    return "A server without keys refuses web pages of other sites. Start it with keys.";
  return undefined;
}

/** Whether a page is of this machine, or was served under the name that the request is sent to. */
function isLocalOrigin(origin: string, host: string | undefined): boolean {
  if (!URL.canParse(origin)) return false;
  const page = new URL(origin);
  // Not below servicebus.windows.net: anybody can serve pages there, over a relay.
  if (isLoopback(nameOf(origin)) || page.hostname.endsWith(".localhost")) return true;
  const asked = `${page.protocol}//${host}`;
  return page.host !== "" && URL.canParse(asked) && new URL(asked).host === page.host;
}

/** The host name of a URL, without brackets; empty if it is not a URL. */
function nameOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname.replace(/^\[/, "").replace(/\]$/, "").toLowerCase() : "";
}

/** Addresses, and names without a domain, such as those of containers: no site can make one of them lead here. */
const isLocalName = (name: string): boolean =>
  isOwnName(name) || isIP(name) !== 0 || name === "host.docker.internal" || (name !== "" && !name.includes("."));

const isOwnName = (name: string): boolean => isLoopback(name) || ownSuffixes.some((suffix) => name.endsWith(suffix));
