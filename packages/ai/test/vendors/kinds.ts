/** The kinds of input that random conversations contain. A test of one kind leaves the others out. */

export const KINDS = [
  /** Schemas of tools beyond a plain object. */
  "schemas",
  /** Calls in the history under names that no tool has. */
  "callNames",
  /** Tools whose own names a vendor may refuse. */
  "toolNames",
  /** More tools than a vendor takes. */
  "manyTools",
  /** Halves of surrogate pairs in what tools say of themselves. */
  "halfPairs",
  /** Halves of surrogate pairs in messages. */
  "halfPairsInMessages",
  /** Pictures of every type and size, and such that are none. */
  "pictures",
  /** PDFs and other files. */
  "files",
  /** Turns that other vendors' models wrote. */
  "foreignTurns",
  /** Empty and blank texts, and messages of nothing else. */
  "emptyTexts",
  /** A conversation that ends with the assistant, or begins with it. */
  "oddEnds",
  /** Results without a call. */
  "orphanResults",
  /** Ids of calls that only another vendor takes, in turns of the model itself. */
  "oddIds",
  /** Bytes that are no picture, under the type of one. */
  "noPictures",
  /** Calls in the history of a request without tools. */
  "callsWithoutTools",
  /** Nothing to answer: no message of the user with a text. */
  "emptyRequests",
  /** Values of several types in one `enum`. */
  "mixedEnums",
  /** Names of tools that begin with a digit. */
  "digitNames",
  /** Results of tools that another vendor would have run on. */
  "waitingTools",
  /** Files and pictures under a type that says nothing or another one, and base64 in other forms. */
  "untypedFiles",
  /** Parameters of tools that are no object at their top. */
  "noObjects",
  /** Responses that only think. */
  "thinkingOnly",
  /** Ids of calls that are empty, or used before. */
  "sameIds",
  /** More than 5 files in a conversation. */
  "manyFiles",
  /** More pictures than a request may have. */
  "manyPictures",
  /** Options: thinking, a forced call, a temperature. */
  "options",
] as const;

export type Kind = (typeof KINDS)[number];
export type Kinds = ReadonlySet<Kind>;

export const ALL_KINDS: Kinds = new Set(KINDS);
