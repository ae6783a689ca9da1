/** A part of a sentence as it stands in its file, and the test that holds it: its file, and how its name begins. */
export type PromiseRow = readonly [says: string, file: string, test: string];
