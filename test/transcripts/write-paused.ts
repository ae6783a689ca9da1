/**
 * Writes a conversation that waits for an approval, as this version stores it: `node --import ./scripts/resolve-sources.ts
 * test/transcripts/write-paused.ts > test/transcripts/NAME.json`. Add one when the shape of messages changes.
 */
import { Agent, defineTool } from "pi-agent";
import { approvals } from "pi-agent/approvals";
import { PI_AI_VERSION, Type } from "pi-ai";
import { createScriptedStreamFn, fauxAssistantMessage, fauxThinking, fauxToolCall } from "pi-ai/testing";

const weather = defineTool({
  name: "weather",
  description: "The weather in a city, now",
  parameters: Type.Object({ city: Type.String() }),
  execute: async (_id, { city }) => `Rain in ${city}`,
});
const blocks = [fauxThinking("I look it up."), fauxToolCall("weather", { city: "Oslo" }, { id: "toolu_01" })];
const agent = new Agent({
  initialState: { tools: [weather] },
  streamFn: createScriptedStreamFn([fauxAssistantMessage(blocks, { stopReason: "toolUse" })]),
  middleware: [approvals({ pause: true })],
});
await agent.prompt("Do I need an umbrella in Oslo?");
const transcript = { writer: `pi-agent ${PI_AI_VERSION}`, messages: agent.state.messages };
process.stdout.write(`${JSON.stringify(transcript, null, 1)}\n`);
