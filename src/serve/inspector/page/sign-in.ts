/** How long a token is valid, in seconds. */
const lifetime = 8 * 3600;

const encoder = new TextEncoder();

/** A refusal of a connection string, for the person who gave it. */
class SignInError extends Error {}

/**
 * The token of a connection string for this server. The key stays in the browser.
 *
 * @throws SignInError when the text is not a connection string, or the browser cannot sign here.
 */
export async function tokenOf(connectionString: string, host: string, now: number): Promise<string> {
  const members = new Map(
    connectionString
      .split(";")
      .filter((part) => part.includes("="))
      .map((part): [string, string] => {
        const at = part.indexOf("=");
        return [part.slice(0, at).trim().toLowerCase(), part.slice(at + 1).trim()];
      }),
  );
  const ready = members.get("sharedaccesssignature");
  if (ready !== undefined) return ready;
  const [name, key] = [members.get("sharedaccesskeyname"), members.get("sharedaccesskey")];
  if (name === undefined || key === undefined)
    throw new SignInError("A connection string has SharedAccessKeyName=… and SharedAccessKey=…");
  if (!("subtle" in crypto)) throw new SignInError("Browsers sign only over https, or on localhost.");
  const resource = encodeURIComponent(`sb://${host}/`);
  const expiry = String(Math.floor(now / 1000) + lifetime);
  const usage = { name: "HMAC", hash: "SHA-256" };
  const secret = await crypto.subtle.importKey("raw", encoder.encode(key), usage, false, ["sign"]);
  const signed = await crypto.subtle.sign("HMAC", secret, encoder.encode(`${resource}\n${expiry}`));
  const signature = encodeURIComponent(btoa(String.fromCharCode(...new Uint8Array(signed))));
  return `SharedAccessSignature sr=${resource}&sig=${signature}&se=${expiry}&skn=${encodeURIComponent(name)}`;
}
