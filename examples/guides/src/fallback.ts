/** Uses another model if the first one fails or says nothing, and waits where servers ask for it. */
import { Agent } from "pi-agent";
import { getModel } from "pi-ai";
import { route } from "pi-ai/route";

const first = getModel("anthropic", "claude-sonnet-5-5");
const second = getModel("openai", "gpt-6.2-sol");

const agent = new Agent({
  initialState: { model: first },
  streamFn: route([first, { model: second, options: { reasoning: "low" } }], { firstEventMs: 15_000 }),
});
agent.subscribe((event) => {
  if (event.type !== "message_end" || event.message.role !== "assistant") return;
  const { diagnostics = [] } = event.message;
  const { attempts } = diagnostics.find(({ type }) => type === "route")?.details ?? {};
  if (attempts) console.log("The attempts:", JSON.stringify(attempts));
});
await agent.prompt("Name three rivers in Norway.");
console.log(agent.state.errorMessage ?? agent.state.messages.at(-1));
