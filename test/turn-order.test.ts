/** The order of events and hooks that docs/architecture.md lists is that of a run: from its beginning, and between two requests. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  type AgentEvent,
  type AgentLoopConfig,
  type AgentMessage,
  type AgentMiddleware,
  type CallMark,
  defineTool,
  type RunHooks,
  runAgentLoop,
  runAgentLoopContinue,
} from "pi-agent";
import { approvals } from "pi-agent/approvals";
import { Type } from "pi-ai";
import { createScriptedStreamFn, fauxAssistantMessage, fauxToolCall } from "pi-ai/testing";
import { expect, test } from "vitest";
import { MODEL } from "./feature-pairs/server.js";

const LOOP = join(import.meta.dirname, "../packages/agent/src/loop");

type List = "From the prompt" | "The first events" | "From a response" | "From an abort";

/** The columns of the block below a heading: they are parted by two spaces or more. */
async function readListed(heading: List): Promise<string[][]> {
  const page = await readFile(join(import.meta.dirname, "../docs/architecture.md"), "utf8");
  const [, block = ""] = new RegExp(`${heading}\\b.*?\`\`\`text\\n(.*?)\\n\`\`\``, "s").exec(page) ?? [];
  return block.split("\n").map((line) => line.split(/ {2,}/));
}

/** The name of an event, with what it is about. */
function describeEvent(event: AgentEvent): string {
  switch (event.type) {
    case "message_start":
    case "message_end": {
      const { message } = event;
      if (message.role !== "toolResult") return `${event.type} ${message.role}`;
      const { pause }: { pause?: CallMark } = message as object;
      return `${event.type} ${pause ? `mark ${pause.state}` : "result"} ${message.toolCallId}`;
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
    begin: (): ListedHooks => {
      note("begin");
      return {
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
      };
    },
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
  expect(noted.slice(begin, end + 1)).toEqual((await readListed("From a response")).map(([name]) => name));
});

/** Runs to the first request, and goes on until it is sent. */
async function runToRequest(messages: AgentMessage[], prompts: AgentMessage[]): Promise<string[]> {
  const noted: string[] = [];
  const note = (name: string): void => void noted.push(name);
  const config: AgentLoopConfig = {
    model: MODEL,
    now: () => 2000,
    middleware: [createRecorder(note), approvals({ pause: true, timeoutMs: 1, default: { approved: true } })],
    convertToLlm: () => [],
    getSteeringMessages: async () => {
      note("getSteeringMessages");
      return [];
    },
  };
  const execute = async (id: string): Promise<string> => {
    note(`execute ${id}`);
    return "ok";
  };
  const work = defineTool({ name: "work", description: "Works", parameters: Type.Object({}), execute });
  const call = fauxAssistantMessage([fauxToolCall("work", {}, { id: "1" })], { stopReason: "toolUse" });
  const context = { systemPrompt: "", messages, tools: [work] };
  const streamFn = createScriptedStreamFn([call]);
  const added =
    prompts.length > 0
      ? await runAgentLoop(prompts, context, config, () => {}, undefined, streamFn)
      : await runAgentLoopContinue(context, { ...config, now: () => 4000 }, () => {}, undefined, streamFn);
  messages.push(...added);
  return noted;
}

test("the order from a prompt, and after a pause, to the first request is the listed one", async () => {
  const messages: AgentMessage[] = [];
  const prompted = await runToRequest(messages, [{ role: "user", content: "Go.", timestamp: 1 }]);
  const first = prompted.slice(0, prompted.indexOf("beforeRequest") + 1);
  expect(first).toEqual((await readListed("From the prompt")).map(([name]) => name));
  const resumed = await runToRequest(messages, []);
  const listed = (await readListed("The first events")).map(([name]) => name);
  expect(resumed.slice(0, listed.length)).toEqual(listed);
});

test("the order from an abort during a tool to the end is the listed one", async () => {
  const noted: string[] = [];
  const note = (name: string): void => void noted.push(name);
  const controller = new AbortController();
  const execute = (id: string): Promise<string> => {
    note(`execute ${id}`);
    controller.abort();
    return new Promise(() => {});
  };
  const work = defineTool({ name: "work", description: "Works", parameters: Type.Object({}), execute });
  const ask = (name: string) => async () => {
    note(name);
    return undefined;
  };
  const config: AgentLoopConfig = {
    model: MODEL,
    middleware: [createRecorder(note)],
    convertToLlm: () => [],
    prepareNextTurn: ask("prepareNextTurn"),
    shouldStopAfterTurn: async () => expect.unreachable("the run was aborted"),
  };
  const call = fauxAssistantMessage([fauxToolCall("work", {}, { id: "1" })], { stopReason: "toolUse" });
  const streamFn = createScriptedStreamFn([call]);
  const context = { systemPrompt: "", messages: [], tools: [work] };
  await runAgentLoop([], context, config, () => {}, controller.signal, streamFn);
  const listed = (await readListed("From an abort")).map(([name]) => name);
  expect(noted.slice(noted.indexOf("execute 1"))).toEqual(listed);
});

/** The methods of a run that emit an event. */
const EMITTERS: Readonly<Record<string, RegExp>> = {
  message_start:
    /(?:run\.endResponse|run\.addToolResult|run\.addMark|transcript\.deliver|transcript\.deliverPrompts)\(/,
  message_end: /(?:run\.endResponse|run\.addToolResult|transcript\.deliver|transcript\.deliverPrompts)\(/,
  agent_start: /"agent_start"/,
  turn_start: /run\.beginTurn\(/,
  turn_end: /run\.endTurn\(/,
  tool_execution_start: /run\.beginToolCall\(/,
  tool_execution_end: /run\.endToolCall\(/,
  agent_end: /run\.emitEnd\(/,
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
  const lists = [
    await readListed("From the prompt"),
    await readListed("The first events"),
    await readListed("From a response"),
    await readListed("From an abort"),
  ];
  const rows = lists.flat().flatMap(([what = "", second = ""]) => {
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
