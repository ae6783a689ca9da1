/**
 * The lines of a proxy's answer: each line of data is one event, whether or not a blank line follows, which is less than
 * server-sent events have. Text in, data out; no I/O.
 */
import { ProtocolError } from "pi-ai/call";

/** Longest line, in characters: as far above any real one as the limit on events elsewhere. */
const MAX_LINE_LENGTH = 64 * 1024 * 1024;

export interface DataLines {
  /** Takes text in pieces of any size; tells whether it brought data, or the beginning of data. */
  feed(text: string): boolean;
  /** The text is over: a last line without its end counts. */
  end(): void;
}

/**
 * Calls `onData` with what follows `data:` on each line, and whether the line had its end. Throws a `ProtocolError` for a line
 * that is too long.
 */
export function createDataLines(
  onData: (data: string, whole: boolean) => void,
  maxLength: number = MAX_LINE_LENGTH,
): DataLines {
  let open = "";
  const take = (line: string, whole: boolean): boolean => {
    if (!line.startsWith("data:")) return false;
    const data = line.slice("data:".length).trim();
    if (data !== "") onData(data, whole);
    return data !== "";
  };
  return {
    feed: (text) => {
      // Carriage returns end lines too: JSON has none of its own, and an empty line means nothing.
      const lines = text.split(/[\r\n]/);
      const last = lines.pop() ?? "";
      let hasData = false;
      for (const line of lines) {
        checkLength(open.length + line.length, maxLength);
        if (take(open + line, true)) hasData = true;
        open = "";
      }
      checkLength(open.length + last.length, maxLength);
      open += last;
      return hasData || (last !== "" && open.startsWith("data:"));
    },
    end: () => void take(open, false),
  };
}

function checkLength(length: number, maxLength: number): void {
  if (length > maxLength) {
    throw new ProtocolError(`An event is longer than ${maxLength} characters`, { retryable: false });
  }
}
