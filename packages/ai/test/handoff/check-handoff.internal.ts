/** Checks one hand-off: every conversation of one model, continued by every model of another api. */

import { Type } from "@sinclair/typebox";
import type { AssistantMessage, KnownApi, Message, Model, SimpleStreamOptions, Tool } from "pi-ai";
import type { ModelRequest } from "pi-ai/adapter";
import { adapterOf } from "../protocols/adapters.internal.js";
import { findFaults } from "../validators/validators.js";
import { createConversations } from "./conversations.js";
import type { Party } from "./parties.js";
import { opaque } from "./script.js";
import { createTurns } from "./turns.internal.js";

// The bodies are built without the driver, which would load this code.

/** Matches the output of `opaque` inside an item. */
const OPAQUE = new RegExp(`${opaque().slice(0, 16)}[A-Za-z0-9+/=]+`, "g");

export const TOOLS: Tool[] = [
  { name: "read", description: "Reads a file", parameters: Type.Object({ path: Type.String() }) },
  { name: "screenshot", description: "Shows the screen", parameters: Type.Object({}) },
];

/** Without tools: a host that summarises a conversation sends none. */
const WAYS: readonly { name: string; tools: Tool[]; options: SimpleStreamOptions }[] = [
  { name: "plain", tools: TOOLS, options: {} },
  { name: "thinking", tools: TOOLS, options: { reasoning: "high" } },
  { name: "foreign thinking dropped", tools: TOOLS, options: { reasoning: "low", foreignThinking: "drop" } },
  { name: "without tools", tools: [], options: {} },
  { name: "forced to call", tools: TOOLS, options: { reasoning: "high", toolChoice: "required" } },
];

/** The faults of every request, each with its target; empty if the hand-off works. */
export function checkHandoff(source: Party, target: Party): string[] {
  const turns = createTurns(source, "first");
  return target.targets.flatMap((model) => {
    const conversations = createConversations(turns, createTurns({ ...target, model }, "second"));
    return Object.entries(conversations).flatMap(([name, messages]) =>
      WAYS.flatMap((way) => {
        const place = `${source.model.api} to ${model.provider}/${model.id}, ${name}, ${way.name}`;
        const body = buildBody(target, model, messages, way);
        const faults = findFaults(target.api as KnownApi, body, model); // parties use built-in apis
        return [...faults, ...findForeign(body, messages, model)].map((fault) => `${place}: ${fault}`);
      }),
    );
  });
}

export function buildBody(
  { api, apiKey }: Party,
  model: Model,
  messages: Message[],
  way: { tools: Tool[]; options: SimpleStreamOptions },
): unknown {
  const context = { systemPrompt: "You help.", messages: deepFreeze(messages), tools: way.tools };
  const adapter = adapterOf(api);
  const options = adapter.simpleOptions(model, way.options);
  const request: ModelRequest = { model, context, options, apiKey, keyIsBearer: false };
  return adapter.buildRequest(request).body;
}

/** Opaque data of another model. The target cannot use it, or rejects the request. */
function findForeign(body: unknown, messages: readonly Message[], model: Model): string[] {
  const sent = JSON.stringify(body);
  return messages.flatMap((message) => {
    if (message.role !== "assistant" || !Array.isArray(message.content)) return [];
    const own = message.provider === model.provider && message.api === model.api && message.model === model.id;
    const data = own && message.stopReason !== "error" && message.stopReason !== "aborted" ? [] : opaqueData(message);
    return data.filter((piece) => sent.includes(piece)).map((piece) => `foreign data is sent: ${piece.slice(0, 60)}`);
  });
}

/** The text of a message that represents what only its producer can read. */
export function opaqueData(message: AssistantMessage): string[] {
  const signatures = message.content.flatMap((block) => {
    switch (block.type) {
      case "text":
        return [block.textSignature, ...(block.citations ?? []).map((citation) => citation.signature)];
      case "thinking":
        return [block.thinkingSignature];
      case "toolCall":
        return [block.thoughtSignature];
      default:
        return [];
    }
  });
  const words = signatures.flatMap((signature) => signature?.match(/[A-Za-z0-9+/=_-]{30,}/g) ?? []);
  // Items of the provider also hold readable data, such as images, which may go to another model.
  const { content } = message;
  const kept = content.flatMap((block) => ("signature" in block ? (block.signature?.match(OPAQUE) ?? []) : []));
  return [...new Set([...words, ...kept])];
}

/** Fails if the input conversation was changed. */
function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const inner of Object.values(value)) deepFreeze(inner);
  return Object.freeze(value);
}
