/** Asks a model on this machine: llama.cpp, Ollama, LM Studio, vLLM or SGLang. No key is needed. */
import { Agent, type AgentTool } from "pi-agent";
import { type Model, Type } from "pi-ai";
import { countTokens } from "pi-ai/count";

const model: Model<"openai-completions"> = {
  id: "qwen3-8b",
  name: "Qwen3 8B",
  api: "openai-completions",
  provider: "local",
  baseUrl: `${process.env["LOCAL_SERVER"] ?? "http://localhost:8080"}/v1`,
  reasoning: true,
  input: ["text"],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 32_768,
  maxTokens: 512,
};

const clock: AgentTool = {
  name: "clock",
  description: "Returns the time.",
  parameters: Type.Object({}),
  execute: async () => new Date().toISOString(),
};

const { tokens, source } = await countTokens(model, "What time is it?");
console.log(`${tokens} tokens (${source})`);

const agent = new Agent({
  initialState: { model, systemPrompt: "Be brief.", tools: [clock] },
  maxTurns: 3,
});
agent.subscribe((event) => {
  if (event.type !== "message_update" || event.assistantMessageEvent.type !== "text_delta") return;
  process.stdout.write(event.assistantMessageEvent.delta);
});
await agent.prompt("What time is it?");
console.log(`\n${agent.state.errorMessage ?? "done"}`);
