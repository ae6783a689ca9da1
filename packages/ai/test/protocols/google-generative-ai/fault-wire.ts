/** The events of the Gemini API and of the two other apis with the same bodies, for the fault matrix. */
import type { HttpFixtures } from "../../conformance/http-target.js";
import { type FaultWireFormat, sseFrame, type WireEvent } from "../../faults/fault-wire-format.js";
import { googleGenerativeAI } from "./fixtures.js";

const USAGE = { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 };

const WORDS: Record<string, string> = { stop: "STOP", length: "MAX_TOKENS", toolUse: "STOP", filter: "SAFETY" };

export const generativeWire: FaultWireFormat = createGoogleWire(googleGenerativeAI, (json) => json);

/** @param wrap adds the envelope of each chunk */
export function createGoogleWire(fixtures: HttpFixtures, wrap: (json: string) => string): FaultWireFormat {
  return {
    fixtures,
    framing: "sse",
    frame: (event) =>
      sseFrame(isError(event) ? event : wrap(typeof event === "string" ? event : JSON.stringify(event))),
    start: () => [],
    part: (part) => {
      if (part.type === "call") return [callOf(part.name, part.pieces.join("") || undefined, part.id)];
      const thought = part.type === "thinking" ? { thought: true } : {};
      return part.pieces.map((text) => chunk({ text, ...thought }));
    },
    end: ({ stop = "stop", usage = USAGE }) => [
      {
        candidates: [{ content: { parts: [] }, ...(stop === null ? {} : { finishReason: WORDS[stop] ?? stop }) }],
        usageMetadata: usage,
      },
    ],
    usage: (count) => ({
      promptTokenCount: count,
      candidatesTokenCount: count,
      thoughtsTokenCount: count,
      cachedContentTokenCount: count,
    }),
    error: (words) => ({ error: { code: 500, message: words, status: "INTERNAL" } }),
    hasEndMarker: false,
    streamsArguments: false,
    bareStart: [{}, { candidates: null }, { candidates: [null] }, { candidates: [{ content: null }] }],
    unknown: [{ hologram: { depth: 3 } }, chunk({ hologram: "nothing of this" }), chunk({ inlineData: { data: "" } })],
    emptyDeltas: [chunk({}), chunk({ text: null }), chunk(null), { candidates: [{ content: { parts: null } }] }],
    callWith: (value) => [chunk({ functionCall: { name: "read", args: value } })],
  };
}

function chunk(part: object | null): WireEvent {
  return { candidates: [{ content: { role: "model", parts: [part] } }] };
}

/** Arguments are JSON within JSON, so they may be any JSON text. */
function callOf(name: string, args: string | undefined, id: string | undefined): WireEvent {
  const fields = [`"name":${JSON.stringify(name)}`];
  if (id !== undefined) fields.push(`"id":${JSON.stringify(id)}`);
  if (args !== undefined) fields.push(`"args":${args}`);
  return `{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{${fields.join(",")}}}]}}]}`;
}

function isError(event: WireEvent): boolean {
  return typeof event === "object" && "error" in event;
}
