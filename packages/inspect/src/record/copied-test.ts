/** The files of a test that repeats a run in a program of its own. They are made on request. */
export interface CopiedTest {
  /** The names and texts of the files. */
  files: Record<string, string>;
}
