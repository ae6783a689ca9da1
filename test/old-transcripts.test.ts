/**
 * Conversations that earlier versions have stored load and go on, at each api. The folder holds what these versions wrote: the
 * packages from which this one comes, by their name and version, and session logs of this one, by their date.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Agent, type AgentMessage } from "pi-agent";
import { approvals } from "pi-agent/approvals";
import { loadSession } from "pi-agent/session";
import { completeSimple, getModel, type Message, type Model, messageText } from "pi-ai";
import { createScriptedStreamFn, fauxAssistantMessage } from "pi-ai/testing";
import { describe, expect, it } from "vitest";
import { respondingFetch } from "./readme/responding-fetch.js";

const FOLDER = join(import.meta.dirname, "transcripts");
const FILES = readdirSync(FOLDER).filter((name) => /\.jsonl?$/.test(name));
const MODELS: readonly Model[] = [
  getModel("anthropic", "claude-sonnet-4-6"),
  getModel("openai", "gpt-5.4"),
  getModel("openrouter", "moonshotai/kimi-k2.6"),
  getModel("google", "gemini-3-flash-preview"),
];

async function load(file: string): Promise<AgentMessage[]> {
  const path = join(FOLDER, file);
  if (file.endsWith(".jsonl")) return (await loadSession(path, { strict: true })).messages;
  return JSON.parse(readFileSync(path, "utf8")).messages;
}

describe.each(FILES)("%s", (file) => {
  it("goes on in an agent, which sees all of it", async () => {
    const messages = await load(file);
    const streamFn = createScriptedStreamFn([fauxAssistantMessage("Bring boots.")]);
    const agent = new Agent({ initialState: { messages }, streamFn, onNewMessage: "decline" });
    await agent.prompt("What else?");
    expect(agent.state.errorMessage).toBeUndefined();
    const [request] = streamFn.calls;
    const roles = request?.context.messages.map(({ role }) => role) ?? [];
    expect(roles.filter((role) => role === "user")).toHaveLength(
      messages.filter(({ role }) => role === "user").length + 1,
    );
    expect(roles.slice(0, 3)).toEqual(["user", "assistant", "toolResult"]);
    expect(JSON.stringify(request?.context)).toContain('"city":"Oslo"');
    expect(agent.state.messages.slice(0, messages.length).filter(({ role }) => role !== "toolResult")).toEqual(
      messages.filter(({ role }) => role !== "toolResult"),
    );
  });

  it.each(MODELS.map((model) => [model.api, model] as const))("is sent to %s", async (_api, model) => {
    const stored = (await load(file)).filter((message) => !("pause" in message)) as Message[];
    const bodies: unknown[] = [];
    const message = await completeSimple(
      model,
      { messages: [...stored, { role: "user", content: "What else?", timestamp: 0 }] },
      { apiKey: "no-real-key", fetch: respondingFetch, onPayload: (body) => void bodies.push(body) },
    );
    expect(message.errorMessage).toBeUndefined();
    expect(messageText(message)).toBe("Hello!");
    const [body] = bodies;
    for (const text of ["umbrella in Oslo", "weather", "What else?"]) expect(JSON.stringify(body)).toContain(text);
  });
});

it("has conversations that wait for an answer, which take it", async () => {
  const paused = FILES.filter((file) => file.includes("paused"));
  expect(paused.length).toBeGreaterThan(0);
  for (const file of paused) {
    const messages = await load(file);
    const streamFn = createScriptedStreamFn([fauxAssistantMessage("Yes, take an umbrella.")]);
    const agent = new Agent({ initialState: { messages }, streamFn, middleware: [approvals({ pause: true })] });
    const [request] = agent.state.pause?.requests ?? [];
    await agent.answer([{ id: request?.id ?? "", approved: false, reason: "No." }]);
    await agent.continue();
    expect(JSON.stringify(streamFn.calls[0]?.context.messages.at(-1))).toContain("No.");
    const ids = agent.state.messages.flatMap((message) => (message.role === "toolResult" ? [message.toolCallId] : []));
    expect(new Set(ids).size).toBe(ids.length);
  }
});

it("has the versions from which this one comes", () => {
  expect(FILES.filter((file) => !file.startsWith("pi-agent"))).toEqual([
    "earendil-works-0.74.2.json",
    "earendil-works-1.6.0.json",
    "mariozechner-0.30.2.json",
    "mariozechner-0.50.9.json",
  ]);
});
