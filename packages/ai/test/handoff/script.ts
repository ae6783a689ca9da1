/** A model's turn, independent of the wire format. */
import type { Api, Model } from "pi-ai";

export type Step =
  | { kind: "think"; text: string; signature: string }
  /** Reasoning that only the vendor can read. */
  | { kind: "hide"; payload: string }
  | { kind: "say"; text: string }
  /** `cut`: the arguments break off. `id`: replaces the vendor's own id. */
  | { kind: "call"; name: string; input: object; id?: string; cut?: boolean }
  /** `payload`: opaque data of the vendor, for kinds that have some. */
  | { kind: "own"; what: OwnKind; payload: string };

/** A provider's own tools, citations and media. */
export type OwnKind =
  | "tool"
  | "failedTool"
  | "waitingTool"
  | "citation"
  | "image"
  | "file"
  | "compaction"
  | "hiddenCompaction"
  /** An item of a kind that this library does not know; its type is {@link UNKNOWN}. */
  | "unknown";

/** How an api writes each kind that it supports. `key` is unique in the response. */
export type OwnSteps<TWire> = { readonly [TKind in OwnKind]?: (key: string, payload: string) => TWire };

/** A type of item that no provider has. */
export const UNKNOWN = "hologram";

export const PICTURE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=";

/** How a turn ends; `none`: the wire goes silent. */
export type End = "stop" | "calls" | "length" | "error" | "none";

export interface Script {
  /** Unique in a conversation, so that ids and signatures are unique. */
  name: string;
  steps: readonly Step[];
  end: End;
}

/** The wire format of an api, written by hand. */
export interface Wire {
  api: Api;
  /** The kinds of content that {@link encode} can write besides text, thinking and tool calls. */
  provides: readonly OwnKind[];
  /** The events of a response, as the api's mapping receives them. */
  encode(script: Script, model: Model): unknown[];
}

/**
 * Opaque data as base64, the form of every wire format. It names its producer, so that it can be found in a request.
 */
export function opaque(...facts: string[]): string {
  const text = `opaque data: ${facts.join(" / ")}`;
  return Buffer.from(text.padEnd(Math.ceil(text.length / 3) * 3, ".")).toString("base64");
}

/** The kinds of a table. */
export function kindsOf(steps: OwnSteps<unknown>): OwnKind[] {
  return Object.keys(steps) as OwnKind[]; // no other keys compile
}

/** Opaque data with characters that only its producer accepts: letters and digits only. */
export function plainId(length: number, ...facts: string[]): string {
  return opaque(...facts)
    .replace(/[^a-zA-Z0-9]/g, "")
    .slice(-length)
    .padStart(length, "0");
}

/** The JSON text of a tool call's arguments as it arrives. */
export function inputText(step: Extract<Step, { kind: "call" }>): string {
  const text = JSON.stringify(step.input);
  return step.cut ? text.slice(0, -2) : text;
}

/** A text in two pieces. */
export function halves(text: string): [string, string] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)];
}
