/** Thrown for a feature that a library does not have. The table shows an empty cell, not a failure. */
export class NotOffered extends Error {
  constructor() {
    super("not offered");
  }
}

export function offered<T>(part: T | undefined): T {
  if (part === undefined) throw new NotOffered();
  return part;
}
