/** Thrown for a feature that a library does not have. That is not a failure: the cell stays empty. */
export class NotOffered extends Error {
  constructor() {
    super("not offered");
  }
}

export function offered<T>(part: T | undefined): T {
  if (part === undefined) throw new NotOffered();
  return part;
}
