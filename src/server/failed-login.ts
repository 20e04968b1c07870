/**
 * Milliseconds until a client hears that its key or token is wrong, so that keys cannot be tried in quick succession; its
 * connection does nothing else meanwhile.
 */
export const failedLoginPause = 300;
