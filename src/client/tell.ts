/** Tells a listener of an error; what it throws is ignored, since there is nobody left to tell. */
export function tell(listener: ((error: unknown) => void) | undefined, error: unknown): void {
  try {
    listener?.(error);
  } catch {
    // It was told.
  }
}
