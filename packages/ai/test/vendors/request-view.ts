/** A request as the rules see it: the same facts for every wire format, each with its place in the vendor's own words. */
import { type Fields, fieldsOf, listOf } from "../validators/faults.js";

export interface ToolView {
  at: string;
  name: unknown;
  nameAt: string;
  description: unknown;
  schema: unknown;
  schemaAt: string;
  strict: boolean;
}

export interface CallView {
  at: string;
  id: unknown;
  idAt: string;
  name: unknown;
  nameAt: string;
  /** As on the wire: an object, or its JSON text. */
  input: unknown;
  /** The index of the message or item. */
  turn: number;
}

export interface ResultView {
  at: string;
  id: unknown;
  turn: number;
  isError: boolean;
}

export interface PartView {
  at: string;
  kind: "text" | "picture" | "file" | "thinking" | "other";
  role: string;
  turn: number;
  inResult: boolean;
  text?: unknown;
  /** The declared type of a picture or file. */
  type?: string;
  /** Base64. */
  data?: string;
  /** From where the vendor is to load it. */
  address?: unknown;
  /** Of a file. */
  name?: unknown;
  /** Of thinking. */
  signature?: unknown;
}

export interface TurnView {
  at: string;
  role: string;
  content: unknown;
  /** How many parts it has, calls and results included. */
  size: number;
}

export interface RequestView {
  body: Fields;
  /** The model that is asked: from the body, or from the address. */
  model: string;
  tools: ToolView[];
  turns: TurnView[];
  calls: CallView[];
  results: ResultView[];
  parts: PartView[];
}

export function emptyView(body: Fields, model: string): RequestView {
  return { body, model, tools: [], turns: [], calls: [], results: [], parts: [] };
}

/** The type and the base64 of a data URL; undefined for any other text. */
export function readDataUrl(url: unknown): { type: string; data: string } | undefined {
  const [, type, data] = typeof url === "string" ? (/^data:([^;,]*);base64,(.*)$/s.exec(url) ?? []) : [];
  return type === undefined || data === undefined ? undefined : { type, data };
}

/** A place whose address is not of one of these forms. */
export function addressBut(forms: RegExp): (request: RequestView) => { at: string; address: string } | undefined {
  return ({ parts }) => {
    const found = parts.find(({ address }) => address !== undefined && !forms.test(String(address)));
    return found && { at: found.at, address: String(found.address) };
  };
}

/** The blocks of a content that may also be a text. */
export function blocksOf(content: unknown): Fields[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : listOf(content);
}

export { type Fields, fieldsOf, listOf };
