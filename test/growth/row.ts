/** One reader, and one thing that it may get n times. */
export interface GrowthRow {
  reader: string;
  what: string;
  /** Makes the input. Only what the returned function does is counted. */
  prepare(count: number): (() => unknown) | Promise<() => unknown>;
}
