/** A server with a variant of the Chat Completions api: a gateway, Ollama, vLLM. */
import { completeSimple, getModel, registerModels } from "pi-ai";
import { startLocalServer } from "./support/local-server.ts";

const server = await startLocalServer((path, body) => {
  const fields = Object.keys(body).filter((field) => field !== "messages");
  return `${body["model"]} at ${path} was sent ${fields.sort().join(", ")}`;
});

registerModels([
  {
    id: "house-model",
    name: "House model",
    api: "openai-completions",
    provider: "our-gateway",
    baseUrl: `${server.url}/v1`, // http://localhost:11434/v1 for Ollama
    reasoning: false,
    input: ["text"],
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    contextWindow: 32_000,
    maxTokens: 1_024,
    headers: { "x-team": "search" },
    // The differences between this server and OpenAI.
    compat: { maxTokensField: "max_tokens", supportsStore: false, supportsUsageInStreaming: false },
  },
]);

const model = getModel("our-gateway", "house-model");
if (!model) throw new Error("just registered");
const response = await completeSimple(
  model,
  { messages: [{ role: "user", content: "What were you sent?", timestamp: Date.now() }] },
  { apiKey: "a-key-of-the-gateway", maxTokens: 100 },
);
for (const block of response.content) if (block.type === "text") console.log(block.text);
if (response.errorMessage) console.log(response.errorMessage);
await server.close();
