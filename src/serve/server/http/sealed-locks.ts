import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import { lockToken, type LockToken } from "../../../core/engine/delivery.ts";

/** The lock tokens of one client. */
export interface ClientLocks {
  /** The token for the client. */
  seal(token: LockToken): LockToken;
  /** The engine's token for a client's token; a random one if the client never got it. */
  open(text: string): LockToken;
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Lock tokens that are valid only for the owner of the grant with which the message was received.
 *
 * Over HTTP, only the token proves who holds a lock, and an engine's tokens can be guessed from others. So they are
 * encrypted, as one AES block each.
 */
export class SealedLocks {
  readonly #secret: string;

  /** @param secret Default: a random one, so that tokens end with the server. */
  constructor(secret: string = randomBytes(32).toString("hex")) {
    this.#secret = secret;
  }

  /** The locks of the clients with the grants of this owner. */
  of(owner: string): ClientLocks {
    const key = createHash("sha256").update(this.#secret).update(owner).digest();
    return {
      seal(token) {
        if (!uuid.test(token)) return token;
        const cipher = createCipheriv("aes-256-ecb", key, null).setAutoPadding(false);
        return lockToken(lockTokenOf(cipher.update(bytesOf(token))));
      },
      open(text) {
        if (!uuid.test(text)) return lockToken(text);
        const decipher = createDecipheriv("aes-256-ecb", key, null).setAutoPadding(false);
        return lockToken(lockTokenOf(decipher.update(bytesOf(text))));
      },
    };
  }
}

const bytesOf = (token: string): Buffer => Buffer.from(token.replaceAll("-", ""), "hex");

const lockTokenOf = (bytes: Buffer): string =>
  bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
