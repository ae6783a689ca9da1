/**
 * Splits a relay's response into lines of data. Each such line is one event, with or without a blank line after it,
 * which is less than server-sent events require. Text in, data out; no I/O.
 */
import { ProtocolError } from "pi-ai/call";

/** The longest line, in characters: the same bound as for events of providers. */
const MAX_LINE_LENGTH = 64 * 1024 * 1024;

export interface DataLines {
  /** Takes text in pieces of any size. */
  feed(text: string): void;
  /** Ends the text. A last line without a line break still counts. */
  end(): void;
}

/**
 * Calls `onData` with the text after `data:` on each line, and whether the line was complete. Throws a `ProtocolError` for
 * a line that is too long. Costs O(n) for n characters, in pieces of any size.
 */
export function createDataLines(
  onData: (data: string, whole: boolean) => void,
  maxLength: number = MAX_LINE_LENGTH,
): DataLines {
  // Joined once, at the end of the line. Reading a string that grows piece by piece would copy it each time.
  let pieces: string[] = [];
  let length = 0;
  const grow = (piece: string): void => {
    length += piece.length;
    if (length > maxLength) {
      throw new ProtocolError(`An event is longer than ${maxLength} characters`, { retryable: false });
    }
    if (piece !== "") pieces.push(piece);
  };
  const take = (whole: boolean): void => {
    const line = pieces.length === 1 ? (pieces[0] ?? "") : pieces.join("");
    pieces = [];
    length = 0;
    if (!line.startsWith("data:")) return;
    const data = line.slice("data:".length).trim();
    if (data !== "") onData(data, whole);
  };
  return {
    feed: (text) => {
      // A carriage return ends a line too: JSON contains none, and an empty line means nothing.
      const lines = text.split(/[\r\n]/);
      const last = lines.pop() ?? "";
      for (const line of lines) {
        grow(line);
        take(true);
      }
      grow(last);
    },
    end: () => take(false),
  };
}
