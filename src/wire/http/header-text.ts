/** Whether a header can hold a text as it is. */
export const isHeaderText = (text: string): boolean => /^[\t\u0020-\u007e]*$/.test(text);
