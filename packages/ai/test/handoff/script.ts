/** What a model says in one turn, before a protocol puts it on its wire. */
import type { Api, Model } from "../../src/types/model.js";

export type Step =
  | { kind: "think"; text: string; signature: string }
  /** Reasoning that only the vendor can read. */
  | { kind: "hide"; payload: string }
  | { kind: "say"; text: string }
  /** `cut`: the arguments break off. `id`: in place of one as the vendor makes it. */
  | { kind: "call"; name: string; input: object; id?: string; cut?: boolean };

/** How a turn ends; `none`: the wire goes silent. */
export type End = "stop" | "calls" | "length" | "error" | "none";

export interface Script {
  /** Unique in a conversation; makes ids and signatures unique. */
  name: string;
  steps: readonly Step[];
  end: End;
}

/** A protocol's wire, written by hand. */
export interface Wire {
  api: Api;
  /** The events of an answer, as the protocol's mapping takes them. */
  encode(script: Script, model: Model): unknown[];
}

/** As opaque data looks on every wire: base64. It names its maker, so that it can be found in a request. */
export function opaque(...facts: string[]): string {
  const text = `opaque data: ${facts.join(" / ")}`;
  return Buffer.from(text.padEnd(Math.ceil(text.length / 3) * 3, ".")).toString("base64");
}

/** Opaque data with characters that only its maker takes: letters and digits alone. */
export function plainId(length: number, ...facts: string[]): string {
  return opaque(...facts)
    .replace(/[^a-zA-Z0-9]/g, "")
    .slice(-length)
    .padStart(length, "0");
}

/** The JSON text of a call's arguments as it arrives. */
export function inputText(step: Extract<Step, { kind: "call" }>): string {
  const text = JSON.stringify(step.input);
  return step.cut ? text.slice(0, -2) : text;
}

/** A text in two pieces. */
export function halves(text: string): [string, string] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)];
}
