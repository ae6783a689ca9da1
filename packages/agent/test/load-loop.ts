/** Loads the loop before a test that counts turns of the event loop. */
import { Agent } from "pi-agent";
import { calls, MODEL, scripted, text } from "./scripted-stream.js";
import { tool } from "./scripted-tool.js";

/**
 * Loads the files that agents load with their first run, tool call and middleware. On a busy machine that takes longer than
 * any number of turns, and an abort would end a run before it has done anything.
 */
export async function loadLoop(): Promise<void> {
  const { streamFn } = scripted(calls("a"), text("done"));
  const agent = new Agent({
    initialState: { model: MODEL, tools: [tool("a")] },
    streamFn,
    middleware: [{ name: "none", begin: () => ({ wrapModelCall: (request, send) => send(request) }) }],
  });
  await agent.prompt("Hi");
}
