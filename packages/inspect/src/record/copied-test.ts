/** The files of a test that repeats a run. */
export interface CopiedTest {
  /** The contents of the files by their names. */
  files: Record<string, string>;
}
