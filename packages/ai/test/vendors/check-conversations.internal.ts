/** Sends random conversations to a vendor's double. */
import { type AssistantMessage, type Context, completeSimple, getModel, type Model } from "pi-ai";
import { testsOf } from "../protocols/all-apis.js";
import { fieldsOf } from "../validators/faults.js";
import { createDouble, type SeenRequest } from "./double.js";
import { halfPair } from "./find.js";
import { ALL_KINDS, type Kinds } from "./kinds.js";
import { randomRequest } from "./random-conversation.internal.js";
import type { Vendor } from "./vendors.js";

export interface Outcome {
  requests: number;
  /** Refused by the library itself, before anything was sent. */
  stopped: number;
  /** Refused by the vendor. */
  refused: number;
  /** Sent with another tool, name, picture or file than the conversation has. */
  changed: number;
  /** Of these, told by a diagnostic of the message. */
  told: number;
  problems: string[];
}

/** The models of each vendor: from the catalogue, as a program gets them. */
const MODELS: Readonly<Record<string, readonly [provider: string, id: string][]>> = {
  anthropic: [
    ["anthropic", "claude-sonnet-4-6"],
    ["anthropic", "claude-sonnet-4-5"],
    ["anthropic", "claude-opus-5"],
  ],
  "openai-responses": [
    ["openai", "gpt-5.4"],
    ["openai", "gpt-4.1"],
  ],
  azure: [["azure", "gpt-5.2"]],
  xai: [["xai", "grok-4.3"]],
  kimi: [
    ["moonshotai", "kimi-k2.6"],
    ["kimi-coding", "kimi-for-coding"],
  ],
  deepseek: [["deepseek", "deepseek-v4-pro"]],
  groq: [
    ["groq", "openai/gpt-oss-120b"],
    ["groq", "qwen/qwen3.6-27b"],
  ],
  gemini: [
    ["google", "gemini-3-flash-preview"],
    ["google", "gemini-2.5-flash"],
  ],
  vertex: [["google-vertex", "gemini-3-flash-preview"]],
  bedrock: [
    ["amazon-bedrock", "global.anthropic.claude-sonnet-4-6"],
    ["amazon-bedrock", "amazon.nova-pro-v1:0"],
  ],
  mistral: [["mistral", "mistral-medium-latest"]],
  cerebras: [
    ["cerebras", "gpt-oss-120b"],
    ["cerebras", "qwen-3.8-27b"],
  ],
  zai: [
    ["zai", "glm-4.7"],
    ["zai", "glm-5.3-flash"],
  ],
  qwen: [
    ["qwen-token-plan", "qwen3.7-plus"],
    ["qwen-token-plan", "kimi-k2.6"],
    ["qwen-token-plan", "qwen3.8-max"],
  ],
  together: [
    ["together", "moonshotai/Kimi-K3"],
    ["together", "openai/gpt-oss-120b"],
  ],
  "fireworks-chat": [
    ["fireworks", "accounts/fireworks/models/kimi-k3"],
    ["fireworks", "accounts/fireworks/models/glm-5p3-flash"],
  ],
  openrouter: [
    ["openrouter", "moonshotai/kimi-k2.6"],
    ["openrouter", "z-ai/glm-5.2"],
    ["openrouter", "openai/gpt-5.4"],
  ],
  minimax: [
    ["minimax", "MiniMax-M2.7"],
    ["minimax", "MiniMax-M3"],
  ],
  fireworks: [["fireworks", "accounts/fireworks/models/minimax-m3"]],
};

const CHAT: Model = {
  id: "gpt-4.1",
  name: "GPT-4.1",
  api: "openai-completions",
  provider: "openai",
  baseUrl: "https://api.openai.com/v1",
  reasoning: false,
  input: ["text", "image"],
  cost: { input: 2, output: 8, cacheRead: 0.5, cacheWrite: 0 },
  contextWindow: 1_047_576,
  maxTokens: 32_768,
};
const OWN: Readonly<Record<string, readonly Model[]>> = {
  "openai-chat": [CHAT, { ...CHAT, id: "gpt-5.4", reasoning: true }],
  lenient: [{ ...CHAT, id: "llama", provider: "custom", baseUrl: "http://localhost:8080/v1" }],
};

/** @throws Error if the catalogue has none of them */
export function modelsOf({ name }: Vendor): Model[] {
  const models = OWN[name] ?? (MODELS[name] ?? []).flatMap(([provider, id]) => getModel(provider, id) ?? []);
  if (models.length === 0) throw new Error(`No model for ${name}`);
  return models.map((model) =>
    model.provider === "azure" ? { ...model, baseUrl: "https://x.openai.azure.com/openai/v1" } : model,
  );
}

/** @param from the first seed */
export async function checkConversations(
  vendor: Vendor,
  count: number,
  { from = 0, kinds = ALL_KINDS }: { from?: number; kinds?: Kinds } = {},
): Promise<Outcome> {
  const outcome: Outcome = { requests: 0, stopped: 0, refused: 0, changed: 0, told: 0, problems: [] };
  const models = modelsOf(vendor);
  for (let seed = from; seed < from + count; seed++) {
    const model = models[seed % models.length];
    if (model) await checkOne(vendor, { seed, model, kinds }, outcome);
  }
  return outcome;
}

async function checkOne(
  vendor: Vendor,
  { seed, model, kinds }: { seed: number; model: Model; kinds: Kinds },
  outcome: Outcome,
): Promise<void> {
  const { fixtures } = testsOf(model.api);
  const double = createDouble(vendor, fixtures);
  const { context, options } = randomRequest(seed, model, kinds);
  const before = JSON.stringify(context);
  const sending = { apiKey: "test-key", maxRetries: 0, ...fixtures.options, ...options, fetch: double.fetch };
  const message = await completeSimple(model, context, sending);
  const problem = (text: string): unknown =>
    outcome.problems.push(`${model.provider}/${model.id}, seed ${seed}: ${text}`);
  if (JSON.stringify(context) !== before) problem("the conversation was changed");
  outcome.requests++;
  const refusal = double.requests.find((request) => request.refusal)?.refusal;
  if (refusal) {
    outcome.refused++;
    problem(`${refusal.rule.id} at ${refusal.at}: ${refusal.words}`);
    return;
  }
  const [sent] = double.requests;
  if (!sent) {
    outcome.stopped++;
    if (!isClear(message)) problem(`not sent, without a clear error: ${message.errorMessage}`);
    return;
  }
  // The servers of most vendors cannot read one.
  if (halfPair(vendor.read(sent.body, ""))) problem("half of a surrogate pair was sent");
  if (message.stopReason === "error") problem(`failed: ${message.errorMessage}`);
  noteChange(vendor, { context, model, sent, message, problem }, outcome);
}

/** An error of ours names the field, and comes before anything is sent. */
function isClear({ error, errorMessage = "" }: AssistantMessage): boolean {
  return error?.kind === "config" && /tool|message|image|picture|file|document|schema|prompt|PDF/i.test(errorMessage);
}

interface Sent {
  context: Context;
  model: Model;
  sent: SeenRequest;
  message: AssistantMessage;
  problem: (text: string) => unknown;
}

function noteChange(vendor: Vendor, { context, model, sent, message, problem }: Sent, outcome: Outcome): void {
  const changes = changesOf(vendor, { context, model, sent });
  if (changes.length === 0) return;
  outcome.changed++;
  if (message.diagnostics?.length) outcome.told++;
  else problem(`not told: ${changes.join(", ")}`);
}

/** What the request says otherwise than the conversation. */
export function changesOf(
  { read }: Vendor,
  { context, model, sent }: Pick<Sent, "context" | "model" | "sent">,
): string[] {
  const { messages, tools = [] } = context;
  const view = read(sent.body, "");
  // A result may go with its call, and what a model made with its turn.
  const pictures = messages.flatMap(({ role, content }) =>
    role !== "user" || typeof content === "string" ? [] : content,
  );
  const count = pictures.filter((block) => block?.type === "image").length;
  const sentPictures = view.parts.filter(({ kind }) => kind === "picture").length;
  return [
    // A model that takes none reads a note in the place of each.
    ...(sentPictures < count && model.input.includes("image") ? [`${count - sentPictures} pictures are left out`] : []),
    ...tools.flatMap(({ name, parameters }, index) =>
      keeps(parameters, view.tools[index]?.schema) ? [] : [`the schema of ${name.slice(0, 20)} is another`],
    ),
  ];
}

/** Whether a schema says all that another one says. What it adds must be empty. */
function keeps(given: unknown, sent: unknown): boolean {
  if (typeof given !== "object" || given === null || Array.isArray(given))
    return JSON.stringify(given) === JSON.stringify(sent);
  // A reference may be replaced by what it means.
  if (Object.hasOwn(given, "$ref")) return true;
  const added = Object.entries(fieldsOf(sent)).filter(([key]) => !Object.hasOwn(given, key));
  if (added.some(([key, value]) => key !== "type" && JSON.stringify(value) !== "{}")) return false;
  return Object.entries(given).every(([key, value]) => key === "$schema" || keeps(value, fieldsOf(sent)[key]));
}
