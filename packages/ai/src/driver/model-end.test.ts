import { type Model, streamSimple } from "pi-ai";
import { expect, it } from "vitest";
import { createModel } from "../../test/models.js";
import { scriptFetch } from "../../test/support/scripted-fetch.js";
import { sseEvent } from "../../test/support/sse.js";
import { noteModelEnd } from "./model-end.js";

const NOW = Date.parse("2026-11-27");

it.each([
  [undefined, false],
  [{ status: "active" }, false],
  [{ status: "active", endsAt: "2027-12-01" }, false],
  [{ status: "active", endsAt: "2027-01-27" }, false],
  [{ status: "active", endsAt: "2027-01-26" }, true],
  [{ status: "deprecated" }, true],
  [{ status: "deprecated", endsAt: "2027-12-01" }, false],
  [{ status: "deprecated", endsAt: "2026-12-01", replacement: "newer" }, true],
  [{ status: "retired", endsAt: "2026-01-01" }, true],
] satisfies [Model["lifecycle"], boolean][])("notes that a model ends: %j is %s", (lifecycle, expected) => {
  const notes: unknown[] = [];
  const model = { ...createModel("openai-responses"), ...(lifecycle ? { lifecycle } : {}) };
  noteModelEnd(model, { note: (type, details) => notes.push([type, details]) }, NOW);
  expect(notes).toEqual(expected ? [["model_ends", lifecycle]] : []);
});

it("says so in the response of a request", async () => {
  const chunk = { choices: [{ index: 0, delta: { content: "Hi" }, finish_reason: "stop" }] };
  const { fetch } = scriptFetch({ pieces: [sseEvent(chunk), sseEvent("[DONE]")] });
  const lifecycle = { status: "deprecated", replacement: "newer" } as const;
  const model: Model = { ...createModel("openai-responses"), api: "openai-completions", lifecycle };
  const message = await streamSimple(model, { messages: [] }, { apiKey: "k", fetch }).result();
  expect(message).toMatchObject({ stopReason: "stop", diagnostics: [{ type: "model_ends", details: lifecycle }] });
});
