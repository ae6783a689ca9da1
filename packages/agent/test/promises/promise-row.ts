/** A part of a sentence as it stands in its file, and the test that holds it: its file, and how its name begins. */
export type PromiseRow = readonly [says: string, file: string, test: string];

/** What a page or a source promises. */
export interface Place {
  /** From the root of the repository. */
  readonly file: string;
  readonly promises: readonly PromiseRow[];
  /** Parts of sentences that sound like a promise, and say something else. */
  readonly others: readonly string[];
}
