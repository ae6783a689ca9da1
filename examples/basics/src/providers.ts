/** One conversation with three providers with different apis. Each reads the responses of the others. */
import { type Api, complete, type Message, type Model } from "pi-ai";
import { startLocalServer } from "./support/local-server.ts";

// Replaces Anthropic, OpenRouter and Google: reports the length of the conversation that it received.
const server = await startLocalServer((path, body) => {
  const messages = (body["messages"] ?? body["contents"] ?? []) as unknown[]; // every api sends a list
  return `I was sent ${messages.length} messages at ${path.split("?")[0]}`;
});

const models = [
  createModel("anthropic-messages", "anthropic", "claude-sonnet-5-5", server.url),
  createModel("openai-completions", "openrouter", "openai/gpt-oss-120b", `${server.url}/v1`),
  createModel("google-generative-ai", "google", "gemini-4-hydrogen", `${server.url}/v1beta`),
];

const messages: Message[] = [];
for (const model of models) {
  messages.push({ role: "user", content: "How long is our conversation?", timestamp: Date.now() });
  const response = await complete(model, { messages }, { apiKey: "no-key-needed" });
  messages.push(response);
  const text = response.content.map((block) => (block.type === "text" ? block.text : "")).join("");
  console.log(`${model.provider}: ${response.errorMessage ?? text}`);
}
await server.close();

/** With keys, `getModel("anthropic", "claude-sonnet-5-5")` is enough. */
function createModel(api: Api, provider: string, id: string, baseUrl: string): Model {
  return {
    id,
    name: id,
    api,
    provider,
    baseUrl,
    reasoning: false,
    input: ["text"],
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    contextWindow: 128_000,
    maxTokens: 4_096,
  };
}
