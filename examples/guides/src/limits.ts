/** An agent with a budget, whose tool is an agent that shares it. */
import { Agent } from "pi-agent";
import { agentTool, limits, sumUsage } from "pi-agent/limits";
import { getModel, Type } from "pi-ai";

const model = getModel("anthropic", "claude-sonnet-5-5");
const research = agentTool({
  name: "research",
  description: "Finds out one thing",
  parameters: Type.Object({ question: Type.String() }),
  agent: () => new Agent({ initialState: { model, systemPrompt: "Be brief." } }),
  maxConcurrent: 2,
});

const budget = { usd: 0.5, turns: 20, toolCalls: 50 };
const agent = new Agent({
  initialState: { model, tools: [research] },
  middleware: [limits({ budget, lastResponse: true })],
});
agent.subscribe((event) => {
  if (event.type === "budget_warning") console.log(`${event.used} of ${event.most} ${event.limit} are used`);
  if (event.type === "loop_noticed") console.log(`the model repeats itself: ${event.loop}`);
  if (event.type === "child_event" && event.event.type === "agent_end") console.log(`${event.toolName} has ended`);
});

await agent.prompt("Which of the three largest rivers in Norway is the longest?");
const { messages, stopped, errorMessage } = agent.state;
console.log(stopped ? `stopped by its ${stopped.by}` : (errorMessage ?? "done"));
console.log(`${sumUsage(messages).totalTokens > 0 ? "some" : "no"} tokens were used`);
