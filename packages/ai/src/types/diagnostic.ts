/** Notes on how a response was produced. */

/** A note on how a response was produced, such as a fallback to another transport. */
export interface AssistantMessageDiagnostic {
  /** The type of the note, as a code. */
  type: string;
  /** Unix time in milliseconds. */
  timestamp: number;
  /** The error that caused it. */
  error?: DiagnosticErrorInfo;
  /** Further facts by name. */
  details?: Record<string, unknown>;
}

/** An error as plain data. */
export interface DiagnosticErrorInfo {
  /** The name of the error's class. */
  name?: string;
  /** The text of the error. */
  message: string;
  /** The stack trace. */
  stack?: string;
  /** The code of a system or library error, such as `ECONNRESET`. */
  code?: string | number;
}
