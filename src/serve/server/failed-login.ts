/**
 * Milliseconds before a wrong key or token is answered, to slow down guessing; the connection does nothing else
 * meanwhile.
 */
export const failedLoginPause = 300;
