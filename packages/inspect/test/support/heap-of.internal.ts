/**
 * Prints as JSON how many bytes the inspector keeps after a scenario. The scenario is `live` for 100 running agents,
 * `long` for one agent with 10,000 turns, or the path of a log. A second argument limits the number of kept entries. It
 * runs in a process of its own, so that nothing else is counted.
 */

import { heapUsed } from "../../../ai/test/faults/leftovers.js";
import { recordRuns } from "../../src/live/recorder.js";
import { openSource } from "../../src/read/open-source.js";
import { RunStore } from "../../src/record/run-store.js";
import { playRun } from "./watch-agent.internal.js";

const DELTAS = 20;
const USAGE = { input: 100, output: 50, cacheRead: 900, cacheWrite: 0, cost: { total: 0.001 } };

/** Emits the events of turns. */
class ScriptedAgent {
  readonly state = { model: { id: "m" }, systemPrompt: "Be brief", tools: [], messages: [] as object[] };
  readonly emit = playRun(recordRuns(store), this.state.messages);

  turn(turn: number): void {
    const toolCallId = `call-${turn}`;
    const args = { turn, why: "x".repeat(500) };
    const message = {
      role: "assistant",
      model: "m",
      content: [{ type: "toolCall", id: toolCallId, name: "look", arguments: args }],
      usage: USAGE,
      stopReason: "toolUse",
      timestamp: turn * 1000,
    };
    this.emit("message_start", { message });
    for (let delta = 0; delta < DELTAS; delta++) this.emit("message_update", { message: { ...message } });
    this.#end(message);
    const result = { content: [{ type: "text", text: `Result ${turn} ${"y".repeat(500)}` }] };
    this.emit("tool_execution_start", { toolCallId, toolName: "look", args });
    this.emit("tool_execution_end", { toolCallId, toolName: "look", result, isError: false, durationMs: 5 });
    this.#end({ role: "toolResult", toolCallId, toolName: "look", ...result, timestamp: turn * 1000 + 500 });
  }

  #end(message: object): void {
    this.emit("message_end", { message });
    this.state.messages.push(message);
  }
}

const [scenario = "", entriesLimit] = process.argv.slice(2);
const store = new RunStore(entriesLimit === undefined ? {} : { entries: Number(entriesLimit) });
const before = await heapUsed();
if (scenario === "live" || scenario === "long")
  runAgents(scenario === "live" ? 100 : 1, scenario === "live" ? 100 : 10_000);
else await openSource(scenario, { store, now: Date.now });
const bytes = (await heapUsed()) - before;
const entries = store.runs.map((run) => run.summary.entries);
process.stdout.write(`${JSON.stringify({ bytes, runs: entries.length, entries: Math.max(...entries) })}\n`);
process.exit(0);

function runAgents(count: number, turns: number): void {
  const agents = Array.from({ length: count }, () => new ScriptedAgent());
  for (const agent of agents) agent.emit("agent_start");
  for (let turn = 0; turn < turns; turn++) for (const agent of agents) agent.turn(turn);
}
