/** The agent under every fault of tools, hooks, listeners, streams and users. */
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { Agent, type AgentEvent, type AgentOptions, type AnyAgentTool } from "pi-agent";
import { type AssistantMessage, AssistantMessageEventStream, type Model } from "pi-ai";
import { describe, expect, test } from "vitest";
import { eventually, soon, turns } from "../../../../test/support/patience.js";
import {
  call,
  eventsOf,
  MODEL,
  response,
  type Step,
  type scripted,
  stuckAfter,
  text,
  user,
} from "../scripted-stream.js";
import { never, result } from "../scripted-tool.js";
import {
  createAgent,
  expectDone,
  expectFailedThenWorks,
  expectNextPromptWorks,
  expectToolError,
  READ,
  readTool,
  resultsOf,
  runTool,
  shown,
} from "./agent-under-fault.js";

/** A value of the wrong type, as callers without types pass it. */
function odd<T>(value: unknown): T {
  return value as T;
}

/** Runs until a step hangs, and aborts. */
async function abortStuck(agent: Agent): Promise<void> {
  const prompted = agent.prompt("hi");
  await turns();
  agent.abort();
  await soon("the end of the run", prompted);
  expect(agent.state).toMatchObject({ isStreaming: false });
  expect(agent.state.messages.at(-1)).toMatchObject({ stopReason: "aborted" });
}

describe("agent: tools", () => {
  test("#121 control: tool call, result, final text", async () => {
    const under = await runTool(async () => result("content"));
    expectDone(under);
    expect(shown(resultsOf(under)[0])).toBe("content");
  });

  test("#122 tool throws an Error", async () => {
    expectToolError(await runTool(() => Promise.reject(new Error("disk full"))), /disk full/);
  });

  test("#123 tool throws a string", async () => {
    expectToolError(await runTool(() => Promise.reject("disk full")), /disk full/);
  });

  test("#124 tool rejects with an object without message", async () => {
    expectToolError(await runTool(() => Promise.reject({ code: 7 })));
    expectToolError(await runTool(() => Promise.reject(undefined)));
  });

  test("#125 tool throws an error whose message getter throws", async () => {
    const hostile = Object.defineProperty(new Error(), "message", {
      get: () => {
        throw new Error("gotcha");
      },
    });
    expectToolError(await runTool(() => Promise.reject(hostile)));
  });

  test("#126 tool never resolves; abort()", async () => {
    const { agent } = createAgent([READ], { initialState: { model: MODEL, tools: [readTool(() => never())] } });
    await abortStuck(agent);
  });

  test("#127 tool never resolves, and the run is not aborted", async () => {
    expectToolError(await runTool(() => never(), { toolTimeoutMs: 20 }), /20/);
  });

  test("#128 tool returns {} (no content)", async () => {
    expectDone(await runTool(async () => odd({})));
  });

  test("#129 tool returns a number / null", async () => {
    for (const value of [7, null, undefined, "text"]) expectDone(await runTool(async () => odd(value)));
  });

  test("#130 tool returns a circular object", async () => {
    const circular: { self?: unknown } = {};
    circular.self = circular;
    expectToolError(await runTool(async () => odd(circular)));
  });

  test("#131 tool returns a BigInt and a function inside an object", async () => {
    expectToolError(await runTool(async () => odd({ content: { big: 7n, run: () => 1 } })));
    const inDetails = await runTool(async () => result("fine", { details: { big: 7n, run: () => 1 } }));
    expectDone(inDetails);
  });

  test("#132 model calls an unknown tool", async () => {
    const under = createAgent([response([call("c1", "flux", {})])]);
    await under.agent.prompt("hi");
    expectToolError(under, /flux/);
  });

  test('#133 model calls "constructor" / "__proto__" / "toString"', async () => {
    const names = ["constructor", "__proto__", "toString"];
    const under = createAgent([response(names.map((name, index) => call(`c${index}`, name)))]);
    await under.agent.prompt("hi");
    expectDone(under);
    expect(resultsOf(under).map(({ toolName, isError }) => [toolName, isError])).toEqual(
      names.map((name) => [name, true]),
    );
  });

  test("#134 arguments break the schema", async () => {
    let ran = false;
    const tools = [
      readTool(async () => {
        ran = true;
        return result("");
      }),
    ];
    const under = createAgent([response([call("c1", "read", { path: [] })])], {
      initialState: { model: MODEL, tools },
    });
    await under.agent.prompt("hi");
    expectToolError(under, /path/);
    expect(ran).toBe(false);
  });

  test("#135 arguments are cut-off JSON", async () => {
    const cut = { ...call("c1", "read", { path: "a" }), argumentsError: "The text ends too early" };
    const under = createAgent([response([cut])]);
    await under.agent.prompt("hi");
    expectToolError(under, /not run/);
  });
});

describe("agent: listeners", () => {
  test("#136 listener throws on every event", async () => {
    const under = createAgent([READ]);
    under.agent.subscribe(() => {
      throw new Error("listener");
    });
    await under.agent.prompt("hi");
    expectDone(under);
    expect(resultsOf(under)).toHaveLength(1);
  });

  test("#137 listener rejects", async () => {
    const under = createAgent([READ]);
    under.agent.subscribe(() => Promise.reject(new Error("listener")));
    await under.agent.prompt("hi");
    expectDone(under);
  });

  test("#138 listener throws once, on the tool's end", async () => {
    const { agent } = createAgent([READ]);
    const seen: AgentEvent["type"][] = [];
    agent.subscribe((event) => {
      seen.push(event.type);
      if (event.type === "tool_execution_end") throw new Error("listener");
    });
    await agent.prompt("hi");
    expectDone({ agent });
    expect(seen.slice(seen.indexOf("tool_execution_end") + 1)).toContain("agent_end");
  });

  test("#139 slow async listener", async () => {
    const under = createAgent([READ]);
    let streamed = "";
    under.agent.subscribe(async (event) => {
      await turns();
      if (event.type === "message_update" && event.assistantMessageEvent.type === "text_delta")
        streamed += event.assistantMessageEvent.delta;
    });
    await under.agent.prompt("hi");
    expectDone(under);
    expect(streamed).toBe("done");
  });

  test("#148 listener awaits waitForIdle()", async () => {
    const under = createAgent([READ]);
    under.agent.subscribe(async () => {
      await under.agent.waitForIdle();
    });
    await under.agent.prompt("hi");
    expectDone(under);
  });
});

describe("agent: tool hooks", () => {
  test("#140 before-tool hook throws", async () => {
    let ran = false;
    const under = await runTool(
      async () => {
        ran = true;
        return result("");
      },
      { beforeToolCall: () => Promise.reject(new Error("no permission")) },
    );
    expectToolError(under, /no permission/);
    expect(ran).toBe(false);
  });

  test("#141 before-tool hook returns garbage", async () => {
    for (const value of [42, "no", { block: "yes" }, [], null]) {
      const under = await runTool(async () => result("content"), { beforeToolCall: async () => odd(value) });
      expectDone(under);
      expect(resultsOf(under)).toHaveLength(1);
    }
  });

  test("#142 before-tool hook never resolves; abort()", async () => {
    const { agent } = createAgent([READ], { beforeToolCall: () => never() });
    await abortStuck(agent);
  });

  test("#143 after-tool hook throws", async () => {
    const under = await runTool(async () => result("content"), {
      afterToolCall: () => Promise.reject(new Error("after")),
    });
    expectDone(under);
    expect(resultsOf(under)).toHaveLength(1);
  });
});

describe("agent: queues", () => {
  /** Whether a message with this text was sent to the model. */
  const wasSent = (calls: ReturnType<typeof scripted>["calls"], words: string): boolean =>
    JSON.stringify(calls.map((one) => one.context.messages)).includes(words);

  test("#144 steering queued while the last response streams", async () => {
    const { agent, stream } = createAgent([text("first")]);
    agent.subscribe((event) => {
      if (event.type === "message_update" && stream.calls.length === 1 && !agent.hasQueuedMessages())
        agent.steer(user("steered"));
    });
    await agent.prompt("hi");
    expect(wasSent(stream.calls, "steered")).toBe(true);
  });

  test("#145 steering queued inside the listener of the end event", async () => {
    const { agent, stream } = createAgent([text("first")]);
    let queued = false;
    agent.subscribe((event) => {
      if (event.type !== "agent_end" || queued) return;
      queued = true;
      agent.steer(user("steered"));
    });
    await agent.prompt("hi");
    expect(wasSent(stream.calls, "steered") || agent.hasQueuedMessages()).toBe(true);
    await agent.prompt("again");
    expect(wasSent(stream.calls, "steered")).toBe(true);
  });

  test("#146 follow-up queued during the run", async () => {
    const { agent, stream } = createAgent([READ]);
    agent.subscribe((event) => {
      if (event.type === "tool_execution_start") agent.followUp(user("and then"));
    });
    await agent.prompt("hi");
    expect(stream.calls).toHaveLength(3);
    expect(wasSent(stream.calls.slice(2), "and then")).toBe(true);
  });

  test("#147 steering queued, then the run is aborted", async () => {
    const { agent, stream } = createAgent([stuckAfter([])]);
    const prompted = agent.prompt("hi");
    await turns();
    agent.steer(user("steered"));
    agent.abort();
    await prompted;
    expect(agent.hasQueuedMessages()).toBe(true);
    await agent.prompt("again");
    expect(wasSent(stream.calls, "steered")).toBe(true);
  });
});

describe("agent: tool updates", () => {
  test("#149 onUpdate called after the tool has ended", async () => {
    let report: (() => void) | undefined;
    const { agent, events } = await runTool(async (_id, _args, _signal, onUpdate) => {
      report = () => onUpdate?.(result("late"));
      return result("content");
    });
    report?.();
    expectDone({ agent });
    expect(events.filter((event) => event.type === "tool_execution_update")).toHaveLength(0);
  });

  test("#150 onUpdate with a listener that throws", async () => {
    const tools = [
      readTool(async (_id, _args, _signal, onUpdate) => {
        onUpdate?.(result("half"));
        return result("content");
      }),
    ];
    const under = createAgent([READ], { initialState: { model: MODEL, tools } });
    under.agent.subscribe((event) => {
      if (event.type === "tool_execution_update") throw new Error("listener");
    });
    await under.agent.prompt("hi");
    expectDone(under);
    expect(shown(resultsOf(under)[0])).toBe("content");
  });
});

describe("agent: conversation hooks", () => {
  const faults: [number, string, AgentOptions, (agent: Agent) => void][] = [
    [151, "transformContext returns undefined", { transformContext: async () => odd(undefined) }, noTransform],
    [152, "transformContext returns [null, 5]", { transformContext: async () => odd([null, 5]) }, noTransform],
    [153, "transformContext throws", { transformContext: () => Promise.reject(new Error("hook")) }, noTransform],
    [
      154,
      "convertToLlm throws",
      {
        convertToLlm: () => {
          throw new Error("hook");
        },
      },
      plainConvert,
    ],
    [155, "convertToLlm returns undefined", { convertToLlm: () => odd(undefined) }, plainConvert],
    [
      156,
      "getApiKey rejects with undefined",
      { getApiKey: () => Promise.reject(undefined) },
      (agent) => {
        agent.getApiKey = () => undefined;
      },
    ],
  ];

  function noTransform(agent: Agent): void {
    agent.transformContext = async (messages) => messages;
  }

  function plainConvert(agent: Agent): void {
    agent.convertToLlm = (messages) => odd(messages);
  }

  test.each(faults)("#%i %s", async (_number, _name, options, repair) => {
    const under = createAgent([], options);
    await under.agent.prompt("hi");
    if (under.agent.state.messages.at(-1)?.role === "assistant" && !under.agent.state.errorMessage) {
      // The hook's result was ignored.
      expectDone(under);
      await expectNextPromptWorks(under);
    } else await expectFailedThenWorks(under, () => repair(under.agent));
  });
});

describe("agent: model functions", () => {
  const faults: [number, string, Step][] = [
    [
      157,
      "model function throws synchronously",
      () => {
        throw new Error("no model");
      },
    ],
    [158, "model function rejects", () => Promise.reject(new Error("no model"))],
    [
      159,
      "model stream throws on iteration",
      () => {
        const stream = new AssistantMessageEventStream();
        stream[Symbol.asyncIterator] = () => {
          throw new Error("no events");
        };
        return stream;
      },
    ],
    [160, "model function returns undefined", () => odd(undefined)],
  ];

  test.each(faults)("#%i %s", async (_number, _name, step) => {
    const under = createAgent([step]);
    await under.agent.prompt("hi");
    await expectFailedThenWorks(under);
  });
});

describe("agent: runs", () => {
  test("#161 two agents share one tools array and one messages array, running at once", async () => {
    const tools = [readTool()];
    const messages = [user("shared")];
    const both = ["one", "two"].map(() => createAgent([READ], { initialState: { model: MODEL, tools, messages } }));
    await Promise.all(both.map(({ agent }, index) => agent.prompt(`prompt ${index}`)));
    for (const [index, under] of both.entries()) {
      expectDone(under);
      const seen = JSON.stringify(under.stream.calls.map((one) => one.context.messages));
      expect(seen).toContain(`prompt ${index}`);
      expect(seen).not.toContain(`prompt ${1 - index}`);
    }
    expect(messages).toHaveLength(1);
  });

  test("#162 abort() and prompt() again at once", async () => {
    const under = createAgent([stuckAfter([])]);
    const first = under.agent.prompt("hi");
    await turns();
    under.agent.abort();
    const second = under.agent.prompt("again").then(
      () => "queued",
      (error: Error) => error.name,
    );
    await first;
    expect(["AgentBusyError", "queued"]).toContain(await second);
    await under.agent.waitForIdle();
    await expectNextPromptWorks(under);
  });

  test("#163 1000 turns of tool calls in one run", async () => {
    const warnings: string[] = [];
    const note = (warning: Error): void => void warnings.push(warning.name);
    process.on("warning", note);
    const under = createAgent(Array.from({ length: 1000 }, () => READ));
    // Each reads the same file.
    under.agent.maxRepeats = 0;
    await under.agent.prompt("hi");
    await turns();
    process.off("warning", note);
    expectDone(under);
    expect(under.stream.calls).toHaveLength(1001);
    expect(warnings).toEqual([]);
  });

  test("#164 abort in the middle of a streamed tool call, then prompt again", async () => {
    const under = createAgent([stuckAfter(eventsOf(READ).slice(0, 3))]);
    await abortStuck(under.agent);
    await expectNextPromptWorks(under);
    expectPaired(under.stream.calls.at(-1)?.context.messages ?? []);
  });

  test("#165 reset in the middle of a streamed tool call, then prompt again", async () => {
    let ran = false;
    const reset = response([{ ...call("c1", "read", { path: "a" }), argumentsError: "cut off" }], {
      stopReason: "error",
      errorMessage: "The connection was reset",
    });
    const broken = stuckAfter([...eventsOf(READ).slice(0, 3), { type: "error", reason: "error", error: reset }]);
    const tools = [
      readTool(async () => {
        ran = true;
        return result("");
      }),
    ];
    const under = createAgent([broken], { initialState: { model: MODEL, tools } });
    await under.agent.prompt("hi");
    await expectFailedThenWorks(under);
    expect(ran).toBe(false);
    expectPaired(under.stream.calls.at(-1)?.context.messages ?? []);
  });

  test("#166 provider error on turn 2 (after a tool result), then prompt again", async () => {
    const under = createAgent([READ, text("", { stopReason: "error", errorMessage: "overloaded" })]);
    await under.agent.prompt("hi");
    await expectFailedThenWorks(under);
    expect(resultsOf(under)).toHaveLength(1);
    expectPaired(under.stream.calls.at(-1)?.context.messages ?? []);
  });

  test("#167 three parallel tools: one throws, one slow, one fast", async () => {
    const execute: AnyAgentTool["execute"] = async (_id, { path }) => {
      if (path === "throws") throw new Error("thrown");
      if (path === "slow") await turns();
      return result(String(path));
    };
    const paths = ["throws", "slow", "fast"];
    const three = response(paths.map((path, index) => call(`c${index}`, "read", { path })));
    const under = createAgent([three], { initialState: { model: MODEL, tools: [readTool(execute)] } });
    await under.agent.prompt("hi");
    expectDone(under);
    expect(resultsOf(under).map(({ toolCallId }) => toolCallId)).toEqual(["c0", "c1", "c2"]);
    expect(resultsOf(under).map(({ isError }) => isError)).toEqual([true, false, false]);
  });

  test("#168 tool mutates its arguments", async () => {
    const under = await runTool(async (_id, params) => {
      params.path = "changed";
      return result("content");
    });
    expect(JSON.stringify(under.agent.state.messages)).not.toContain("changed");
    expect(JSON.stringify(under.stream.calls.at(-1)?.context.messages)).toContain("a.txt");
  });

  test("#169 abort() from a listener at every event index", async () => {
    for (let at = 0; ; at++) {
      const under = createAgent([READ]);
      let count = 0;
      under.agent.subscribe(() => {
        if (count++ === at) under.agent.abort();
      });
      await under.agent.prompt("hi");
      expect(["aborted", "stop"]).toContain(
        Reflect.get(under.agent.state.messages.at(-1) ?? {}, "stopReason") ?? "stop",
      );
      expect(under.agent.state.isStreaming).toBe(false);
      if (count <= at) break;
      count = Number.NEGATIVE_INFINITY;
      await under.agent.prompt("and now?");
      expectDone(under);
    }
  });

  test("#170 abort() during streaming: idle, and the request is closed", async () => {
    await using server = await silentServer();
    const agent = new Agent({ initialState: { model: server.model }, getApiKey: () => "key" });
    const streaming = new Promise<void>((resolve) => {
      agent.subscribe((event) => {
        if (event.type === "message_update") resolve();
      });
    });
    const prompted = agent.prompt("hi");
    await streaming;
    agent.abort();
    await soon("the end of the run", prompted);
    await server.left();
  });

  test("#171 200 parallel tool calls in one message", async () => {
    const many = response(Array.from({ length: 200 }, (_, index) => call(`c${index}`, "read", { path: `${index}` })));
    const under = createAgent([many]);
    await under.agent.prompt("hi");
    expectDone(under);
    expect(resultsOf(under)).toHaveLength(200);
  });

  test("#172 run-away loop: the model calls a tool forever", async () => {
    const { agent, stream } = createAgent(
      Array.from({ length: 50 }, () => READ),
      { maxTurns: 5 },
    );
    await agent.prompt("hi");
    expect(stream.calls).toHaveLength(5);
    expect(agent.state.errorMessage).toMatch(/5/);
  });

  test("#173 server idles mid-response in an agent run", async () => {
    await using server = await silentServer();
    const agent = new Agent({
      initialState: { model: server.model },
      getApiKey: () => "key",
      streamOptions: { idleTimeoutMs: 150 },
    });
    await agent.prompt("hi");
    expect(agent.state.isStreaming).toBe(false);
    expect(agent.state.messages.at(-1)).toMatchObject({ stopReason: "error", error: { kind: "timeout" } });
    await server.left();
  });
});

interface Conversation {
  role: string;
  content?: unknown;
  toolCallId?: string;
  stopReason?: string;
}

/** Expects a result for every tool call that is sent. */
function expectPaired(messages: readonly Conversation[]): void {
  const open = new Set<string>();
  for (const message of messages) {
    if (message.role === "toolResult") open.delete(message.toolCallId ?? "");
    // Requests omit failed responses.
    if (message.role !== "assistant" || ["error", "aborted"].includes(message.stopReason ?? "")) continue;
    for (const block of odd<AssistantMessage>(message).content) if (block.type === "toolCall") open.add(block.id);
  }
  expect([...open]).toEqual([]);
}

interface SilentServer extends AsyncDisposable {
  model: Model;
  /** Resolves when no connection is open. On a busy machine the client may give up before it has one. */
  left(): Promise<unknown>;
}

/** Begins a response of the Chat Completions API and goes silent. */
async function silentServer(): Promise<SilentServer> {
  const server = http.createServer((request, response) => {
    request.resume();
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write('data: {"choices":[{"index":0,"delta":{"content":"Hel"}}]}\n\n');
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // it listens on a port
  const countConnections = promisify(server.getConnections.bind(server));
  return {
    model: { ...MODEL, api: "openai-completions", baseUrl: `http://127.0.0.1:${port}/v1` },
    left: () => eventually(async () => expect(await countConnections()).toBe(0)),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
