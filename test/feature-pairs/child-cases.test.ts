/** Losses around agents that tools run, which once happened where two features met. Each title says what was lost. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Agent, AgentOptions } from "pi-agent";
import { toAgUiStream } from "pi-agent/ag-ui";
import { agentTool } from "pi-agent/limits";
import { jsonlSessions } from "pi-agent/session";
import { toUIMessageStream } from "pi-agent/ui-stream";
import { Type } from "pi-ai";
import { expect, test } from "vitest";
import { readAll } from "./feature.js";
import { call, create, ruled, say } from "./kit.js";

function createParent(options: AgentOptions = {}): Agent {
  const childModel = ruled((index) => (index === 0 ? call("work", { n: 7 }, "w7") : say("the child responds")));
  const child = agentTool({
    ...{ name: "child", description: "Asks a child", parameters: Type.Object({ question: Type.String() }) },
    agent: () => create(childModel),
  });
  const model = ruled((index) => (index === 0 ? call("child", { question: "?" }, "c1") : say("done")));
  return create(model, { ...options, initialState: { tools: [child] } });
}

test("U3: the transcript of an agent that a tool runs was in no log", async () => {
  const folder = mkdtempSync(join(tmpdir(), "pairs-"));
  const log = await jsonlSessions(folder).log("s", { children: true });
  await createParent({ middleware: [log] }).prompt("Hi");
  await log.close();
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".jsonl"));
  expect(files.map((name) => readFileSync(join(folder, name), "utf8")).join("\n")).toContain("w7");
  rmSync(folder, { recursive: true });
});

test("T2: pages showed nothing of an agent that a tool runs before its result", async () => {
  const one = createParent();
  const chunks = await readAll(toUIMessageStream(one, { run: () => one.prompt("Hi") }));
  const result = chunks.findIndex((chunk) => chunk.type === "tool-output-available" && !chunk.preliminary);
  expect(JSON.stringify(chunks.slice(0, result))).toContain("the child responds");
  const other = createParent();
  const events = await readAll(toAgUiStream(other, { threadId: "t", runId: "r", run: () => other.prompt("Hi") }));
  const end = events.findIndex(({ type }) => type === "TOOL_CALL_RESULT");
  expect(JSON.stringify(events.slice(0, end))).toContain("the child responds");
});
