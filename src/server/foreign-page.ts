import { isIPv4 } from "node:net";

/** Names that always lead to this machine, or that nobody else can make lead here. */
const ownSuffixes = [".localhost", ".servicebus.windows.net"] as const;

/** The headers that say where a request comes from and where it goes. */
export interface RequestSource {
  readonly host?: string | undefined;
  readonly origin?: string | undefined;
}

/**
 * Why a server that takes no keys refuses a request over HTTP, or `undefined` when it does not.
 *
 * A page of any site can send requests to this machine, also under a name of its own that leads here.
 */
export function refusalOfPage({ host, origin }: RequestSource): string | undefined {
  if (host !== undefined && !isOwnName(nameOf(`http://${host}`)))
    return "The host name is not one of this machine. Connect to localhost, or give the server keys.";
  if (origin !== undefined && !isOwnName(nameOf(origin)))
    return "Pages of other sites cannot reach a server without keys. Give it keys.";
  return undefined;
}

/** The host name of a URL, without brackets; empty for what is not a URL. */
function nameOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname.replace(/^\[/, "").replace(/\]$/, "").toLowerCase() : "";
}

const isOwnName = (name: string): boolean =>
  name === "localhost" ||
  name === "::1" ||
  (isIPv4(name) && name.startsWith("127.")) ||
  ownSuffixes.some((suffix) => name.endsWith(suffix));
