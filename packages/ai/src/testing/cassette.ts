/**
 * Defines the format of a recording: JSON lines. Each exchange is a `request`, a `response`, any number of `chunk`
 * lines and an `end`. It contains no credential: only listed headers are kept, and the values of all others are removed
 * from every text.
 */

export interface CassetteRequest {
  type: "request";
  exchange: number;
  method: string;
  /** Without the query parameters that carry keys. */
  url: string;
  headers: Record<string, string>;
  /** Parsed if it is JSON. */
  body: unknown;
}

export interface CassetteResponse {
  type: "response";
  exchange: number;
  /** Milliseconds since the request. */
  at: number;
  status: number;
  headers: Record<string, string>;
}

/** A piece of the body; `base64` if it is not complete UTF-8. */
export type CassetteChunk = { type: "chunk"; exchange: number; at: number } & ({ text: string } | { base64: string });

export interface CassetteEnd {
  type: "end";
  exchange: number;
  at: number;
  /** Why the body broke off. Absent if it was complete or the reader left. */
  error?: string;
}

export type CassetteLine = CassetteRequest | CassetteResponse | CassetteChunk | CassetteEnd;

/** One request and its response. */
export interface Exchange {
  request: CassetteRequest;
  response: CassetteResponse;
  chunks: CassetteChunk[];
  end: CassetteEnd | undefined;
}

/** Reads a cassette. Skips a request that got no response. */
export function parseCassette(text: string): Exchange[] {
  const lines = text.split("\n").flatMap((line, index) => (line.trim() === "" ? [] : [parseLine(line, index + 1)]));
  const byExchange = new Map<number, CassetteLine[]>();
  for (const line of lines) {
    const own = byExchange.get(line.exchange);
    if (own) own.push(line);
    else byExchange.set(line.exchange, [line]);
  }
  return [...byExchange.values()].flatMap(toExchange);
}

function toExchange(lines: readonly CassetteLine[]): Exchange[] {
  const request = lines.find((line) => line.type === "request");
  const response = lines.find((line) => line.type === "response");
  if (!request || !response) return [];
  const chunks = lines.filter((line) => line.type === "chunk");
  return [{ request, response, chunks, end: lines.find((line) => line.type === "end") }];
}

function parseLine(line: string, number: number): CassetteLine {
  try {
    return JSON.parse(line) as CassetteLine; // the recorder wrote it
  } catch (cause) {
    throw new Error(`Line ${number} of the cassette is not JSON: ${line.slice(0, 80)}`, { cause });
  }
}

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export function encodeChunk(bytes: Uint8Array): { text: string } | { base64: string } {
  try {
    return { text: UTF8.decode(bytes) };
  } catch {
    return { base64: btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")) };
  }
}

export function decodeChunk(chunk: CassetteChunk): Uint8Array {
  if ("text" in chunk) return new TextEncoder().encode(chunk.text);
  return Uint8Array.from(atob(chunk.base64), (character) => character.charCodeAt(0));
}
