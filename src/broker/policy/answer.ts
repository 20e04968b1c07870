/** The answer of a store: at once, or later. */
export type Answer<T> = T | Promise<T>;

/** Goes on with an answer: at once if it is there. */
export const afterwards = <T, R>(answer: Answer<T>, goOn: (value: T) => Answer<R>): Answer<R> =>
  answer instanceof Promise ? answer.then(goOn) : goOn(answer);

/** Shared by all operations that finish synchronously: a promise from an async function would cost a twentieth of a send. */
export const done: Promise<void> = Promise.resolve();
