/** One reader, and one thing that it may get n times. */
export interface GrowthRow {
  reader: string;
  what: string;
  /** Bytes of one element. Default, and for 0: about 100. */
  bytes?: number;
  /** Makes the input. Only what the returned function does is counted. */
  prepare(count: number): (() => unknown) | Promise<() => unknown>;
}
