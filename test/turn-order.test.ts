/** The order of events and hooks that docs/architecture.md lists between two requests is that of a run. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  type AgentEvent,
  type AgentLoopConfig,
  type AgentMiddleware,
  defineTool,
  type RunHooks,
  runAgentLoop,
} from "pi-agent";
import { approvals } from "pi-agent/approvals";
import { Type } from "pi-ai";
import { createScriptedStreamFn, fauxAssistantMessage, fauxToolCall } from "pi-ai/testing";
import { expect, test } from "vitest";
import { MODEL } from "./feature-pairs/server.js";

const LOOP = join(import.meta.dirname, "../packages/agent/src/loop");

/** The columns of the block: they are parted by two spaces or more. */
async function readListed(): Promise<string[][]> {
  const page = await readFile(join(import.meta.dirname, "../docs/architecture.md"), "utf8");
  const [, block = ""] = /## From a response .*?```text\n(.*?)\n```/s.exec(page) ?? [];
  return block.split("\n").map((line) => line.split(/ {2,}/));
}

/** The name of an event, with what it is about. */
function describeEvent(event: AgentEvent): string {
  switch (event.type) {
    case "message_start":
    case "message_end": {
      const { message } = event;
      return `${event.type} ${message.role === "toolResult" ? `result ${message.toolCallId}` : message.role}`;
    }
    case "tool_execution_start":
    case "tool_execution_update":
    case "tool_execution_end":
      return `${event.type} ${event.toolCallId}`;
    case "approval_requested":
    case "approval_resolved":
      return `${event.type} ${event.request.toolCallId}`;
    default:
      return event.type;
  }
}

/** The hooks between two requests. A new hook does not compile until it is noted here, and listed. */
type ListedHooks = Required<Omit<RunHooks, "recover" | "beforePause" | "onRemembered" | "onRememberedCall" | "end">>;

/** Notes each hook of middleware. */
function createRecorder(note: (name: string) => void): AgentMiddleware {
  return {
    name: "recorder",
    begin: (): ListedHooks => ({
      onEvent: (event) => note(describeEvent(event)),
      tools: () => {
        note("tools");
        return [];
      },
      beforeToolCall: async ({ toolCall }) => {
        note(`beforeToolCall ${toolCall.id}`);
        return undefined;
      },
      beforeTools: async (calls) => {
        note(`beforeTools ${calls.map(({ toolCall }) => toolCall.id).join(" ")}`);
        return undefined;
      },
      wrapToolCall: ({ toolCall }, execute) => {
        note(`wrapToolCall ${toolCall.id}`);
        return execute();
      },
      afterToolCall: async ({ toolCall }) => {
        note(`afterToolCall ${toolCall.id}`);
        return undefined;
      },
      afterTurn: () => note("afterTurn"),
      beforeMessages: () => note("beforeMessages"),
      beforeRequest: () => note("beforeRequest"),
      transformContext: async (messages) => {
        note("transformContext");
        return messages;
      },
      chooseTools: (tools) => {
        note("chooseTools");
        return tools;
      },
      prepareRequest: (request) => {
        note("prepareRequest");
        return request;
      },
      wrapModelCall: (request, send) => {
        note("wrapModelCall");
        return send(request);
      },
      wrapSend: (request, send) => {
        note("wrapSend");
        return send(request);
      },
    }),
  };
}

test("the order of events and hooks between two requests is the listed one", async () => {
  const noted: string[] = [];
  const note = (name: string): void => void noted.push(name);
  const second = Promise.withResolvers<void>();
  const work = defineTool({
    name: "work",
    description: "Works",
    parameters: Type.Object({}),
    execute: async (id, _input, _signal, onUpdate) => {
      note(`execute ${id}`);
      // The second call ends first.
      if (id === "1") await second.promise;
      else onUpdate?.({ content: [], details: {} });
      return { content: [{ type: "text", text: "ok" }], details: {} };
    },
  });
  const calls = ["1", "2"].map((id) => fauxToolCall("work", {}, { id }));
  const scripted = createScriptedStreamFn([
    fauxAssistantMessage(calls, { stopReason: "toolUse" }),
    fauxAssistantMessage("done"),
  ]);
  const steering = [{ role: "user" as const, content: "Faster", timestamp: 1 }];
  let polls = 0;
  const config: AgentLoopConfig = {
    model: MODEL,
    middleware: [createRecorder(note), approvals({ ask: async () => ({ approved: true }) })],
    convertToLlm: () => {
      note("convertToLlm");
      return [];
    },
    getApiKey: () => {
      note("getApiKey");
      return "key";
    },
    prepareNextTurn: () => {
      note("prepareNextTurn");
      return undefined;
    },
    shouldStopAfterTurn: () => {
      note("shouldStopAfterTurn");
      return false;
    },
    getSteeringMessages: async () => {
      note("getSteeringMessages");
      // The first poll is that before the first turn.
      return ++polls === 2 ? steering : [];
    },
  };
  const emit = (event: AgentEvent): void => {
    if (event.type === "tool_execution_end" && event.toolCallId === "2") second.resolve();
  };
  const streamFn: typeof scripted = Object.assign((...request: Parameters<typeof scripted>) => {
    note("streamFn");
    return scripted(...request);
  }, scripted);
  await runAgentLoop([], { systemPrompt: "", messages: [], tools: [work] }, config, emit, undefined, streamFn);
  const begin = noted.indexOf("message_end assistant");
  const end = noted.indexOf("streamFn", begin);
  expect(noted.slice(begin, end + 1)).toEqual((await readListed()).map(([name]) => name));
});

/** The methods of a run that emit an event. */
const EMITTERS: Readonly<Record<string, RegExp>> = {
  message_start: /(?:run\.addToolResult|transcript\.deliver)\(/,
  message_end: /(?:run\.endResponse|run\.addToolResult|transcript\.deliver)\(/,
  turn_start: /run\.beginTurn\(/,
  turn_end: /run\.endTurn\(/,
  tool_execution_start: /run\.beginToolCall\(/,
  tool_execution_end: /run\.endToolCall\(/,
};

/** Functions that hold the hook of another name, which `middleware/run/compose.ts` joins. */
const JOINED: Readonly<Record<string, string>> = { wrapSend: "hooks" };

/** The text of a function on the top level of a file. */
function findBody(text: string, name: string): string {
  const lines = text.split("\n");
  const begin = lines.findIndex((line) =>
    new RegExp(`^(?:export )?(?:async )?(?:function |const )${name}\\b`).test(line),
  );
  const indented = begin >= 0 ? "" : "  ";
  const from = begin >= 0 ? begin : lines.findIndex((line) => new RegExp(`^  const ${name} = `).test(line));
  const end = lines.findIndex((line, index) => index > from && new RegExp(`^${indented}\\}`).test(line));
  return from < 0 ? "" : lines.slice(from, end).join("\n");
}

test("the listed functions call these hooks and emit these events", async () => {
  const rows = (await readListed()).flatMap(([what = "", second = ""]) => {
    const [, name, file] = /^(\w+), ([\w./-]+\.ts)$/.exec(second) ?? [];
    return name && file ? [{ what: what.replace(/ .*/, ""), name, file }] : [];
  });
  expect(rows.length).toBeGreaterThan(20);
  for (const { what, name, file } of rows) {
    const body = findBody(await readFile(join(LOOP, file), "utf8"), name);
    const called = EMITTERS[what] ?? new RegExp(`\\b${JOINED[what] ?? what}\\b`);
    expect({ what, name, file, calls: called.test(body) }).toEqual({ what, name, file, calls: true });
  }
});
