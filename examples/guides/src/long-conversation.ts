/** A long conversation with a small context window: tokens are counted, messages compacted and prompts cached. */
import { Agent } from "pi-agent";
import { compact, compactedMessages, isCompactionMessage } from "pi-agent/compact";
import { streamSimple } from "pi-ai";
import { reportCache, watchCache } from "pi-ai/cache";
import { countTokens } from "pi-ai/count";
import { fauxAssistantMessage, registerFauxProvider } from "pi-ai/testing";

const TURNS = 12;
const cost = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 }; // US dollars per million tokens
const faux = registerFauxProvider({ models: [{ id: "small", contextWindow: 4_000, maxTokens: 500, cost }] });
const model = faux.getModel();
const CHAPTER = "It was a dark and stormy night. ".repeat(60);
// A request for a summary has no tools and its own system prompt; every other request gets a chapter.
faux.setResponses(
  Array.from({ length: 2 * TURNS }, () => ({ systemPrompt = "" }) => {
    const isChapter = systemPrompt === "You tell a story.";
    return fauxAssistantMessage(isChapter ? CHAPTER : "So far: it was dark, and a storm came.");
  }),
);

const agent = new Agent({
  initialState: { model, systemPrompt: "You tell a story." },
  sessionId: "story-1", // names the conversation for the provider's cache
  streamFn: watchCache(streamSimple), // a response whose request broke the cache has the diagnostic cache_broken
  middleware: [compact({ at: 0.8, keep: 1_000 })], // before each request, and after an overflow error
});
agent.subscribe((event) => {
  if (event.type !== "message_end") return;
  const { message } = event;
  if (isCompactionMessage(message)) {
    const { tokensBefore, tokensAfter } = message.compaction;
    console.log(`compacted: ${tokensBefore} tokens became ${tokensAfter}`);
  } else if (message.role === "assistant") {
    const broken = message.diagnostics?.find(({ type }) => type === "cache_broken")?.details;
    if (broken) console.log(`broken: ${broken["part"]} from ${broken["index"]}`);
  }
});

for (let turn = 1; turn <= TURNS; turn++) await agent.prompt(`Chapter ${turn}, please.`);

// The messages of the next request. If the provider has an endpoint for it, the provider counts them.
const messages = compactedMessages(agent.state.messages, model);
const { tokens, source } = await countTokens(model, { systemPrompt: agent.state.systemPrompt, messages });
console.log(
  `${agent.state.messages.length} messages are kept; the next request begins with ${tokens} tokens (${source})`,
);

const { hits, responses, hitRate, broken, savedDollars } = reportCache(agent.state.messages, () => model);
console.log(`${hits} of ${responses} responses read from the cache: ${Math.round(hitRate * 100)} % of all prompts`);
console.log(`$${savedDollars.toFixed(4)} saved, although ${broken} requests broke the cache`);
faux.unregister();
