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
  if (origin !== undefined && !isOwnName(nameOf(origin)))
    return "A server without keys refuses web pages of other sites. Start it with keys.";
  return undefined;
}

/** The host name of a URL, without brackets; empty if it is not a URL. */
function nameOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname.replace(/^\[/, "").replace(/\]$/, "").toLowerCase() : "";
}

/** Addresses, and names without a domain, such as those of containers: no site can make one of them lead here. */
const isLocalName = (name: string): boolean =>
  isOwnName(name) || isIP(name) !== 0 || name === "host.docker.internal" || (name !== "" && !name.includes("."));

const isOwnName = (name: string): boolean => isLoopback(name) || ownSuffixes.some((suffix) => name.endsWith(suffix));
