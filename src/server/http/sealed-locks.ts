import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import { lockToken, type LockToken } from "../../engine/delivery.ts";

/** Lock tokens as one client sees them. */
export interface ClientLocks {
  /** The token to show to the client. */
  seal(token: LockToken): LockToken;
  /** The token that the client was shown; another one for what it was not. */
  open(text: string): LockToken;
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Lock tokens that hold for the key alone that a message was received with.
 *
 * Over HTTP a token is all that says who holds a lock, and an engine's tokens can be guessed from others. So they are
 * encrypted, a token being one block of AES, under a key that is drawn when the server starts.
 */
export class SealedLocks {
  readonly #secret = randomBytes(32);

  /** The locks of those who show one key, by its name. */
  of(keyName: string): ClientLocks {
    const key = createHash("sha256").update(this.#secret).update(keyName).digest();
    return {
      seal(token) {
        if (!uuid.test(token)) return token;
        const cipher = createCipheriv("aes-256-ecb", key, null).setAutoPadding(false);
        return lockToken(textOf(cipher.update(bytesOf(token))));
      },
      open(text) {
        if (!uuid.test(text)) return lockToken(text);
        const decipher = createDecipheriv("aes-256-ecb", key, null).setAutoPadding(false);
        return lockToken(textOf(decipher.update(bytesOf(text))));
      },
    };
  }
}

const bytesOf = (token: string): Buffer => Buffer.from(token.replaceAll("-", ""), "hex");

const textOf = (bytes: Buffer): string => bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
