/** Keeps the long, stable part of a conversation in the provider's cache, and shows what that saves. */
import { Agent } from "pi-agent";
import { getModel } from "pi-ai";

const HANDBOOK = "Rule: be polite. ".repeat(2_000); // the long part comes first, and never changes

const agent = new Agent({
  initialState: { model: getModel("anthropic", "claude-sonnet-5-5"), systemPrompt: HANDBOOK },
  // One hour instead of five minutes, for conversations with pauses. Writing it costs twice the price of input.
  streamOptions: { cacheRetention: "long" },
  // Identifies the conversation for providers that route by it (OpenAI and others).
  sessionId: "support-case-4711",
});

agent.subscribe((event) => {
  if (event.type !== "message_end" || event.message.role !== "assistant") return;
  const { input, cacheRead, cacheWrite, cost } = event.message.usage;
  const prompt = input + cacheRead + cacheWrite;
  console.log(`${prompt} prompt tokens, ${cacheRead} from the cache, ${cacheWrite} written, $${cost.total.toFixed(4)}`);
});

await agent.prompt("A customer is angry. What do I say?");
await agent.prompt("And if that does not help?"); // the same prefix again: it comes from the cache
