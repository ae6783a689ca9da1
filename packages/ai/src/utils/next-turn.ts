/** Not `setTimeout`, which takes a millisecond, unless the runtime lacks `setImmediate`. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof setImmediate === "function") setImmediate(resolve);
    else setTimeout(resolve, 0);
  });
}

/** Characters that take so long to read that others get a turn of the event loop before they are read once more. */
export const LARGE_TEXT = 262_144;

/** The next turn, if something has so many characters; undefined for anything that is not large. */
export function turnAfter(characters: number): Promise<void> | undefined {
  return characters > LARGE_TEXT ? nextTurn() : undefined;
}
