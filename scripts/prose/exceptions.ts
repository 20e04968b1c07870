/** Passages that read well all the same. */
export const exceptions: readonly { readonly file: string; readonly text: string; readonly why: string }[] = [];
