/** The words of requests to generateContent, for the examples of rules. */
import type { Fields } from "../../request-view.js";

export const API = "ai.google.dev/api/generate-content";
/** Version 3.3.0. */
export const TYPES = "googleapis/js-genai, src/types.ts";
export const CALLING = "ai.google.dev/gemini-api/docs/function-calling";

export const declare = (...all: object[]): Fields => ({
  tools: [{ functionDeclarations: all.map((fields) => ({ name: "read", description: "Reads", ...fields })) }],
});
export const say = (...parts: object[]): Fields => ({ contents: [{ role: "user", parts }] });
export const picture = (mimeType: string, data: string): object => ({ inlineData: { mimeType, data } });
export const ask: Fields = { role: "user", parts: [{ text: "Hi" }] };
export const called = (calls: object[], responses: object[]): Fields => ({
  contents: [
    ask,
    { role: "model", parts: calls.map((fields) => ({ functionCall: { name: "read", args: {}, ...fields } })) },
    {
      role: "user",
      parts: responses.map((fields) => ({ functionResponse: { name: "read", response: {}, ...fields } })),
    },
  ],
});

export const NAME: RegExp = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/;
