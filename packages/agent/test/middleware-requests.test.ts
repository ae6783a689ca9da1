/** How middleware acts before a request, recovers from a failed one, and adds to the conversation. */
import { Agent, type AgentMiddleware, type RunHooks } from "pi-agent";
import type { AssistantMessage } from "pi-ai";
import { expect, test } from "vitest";
import { call, MODEL, response, type Step, scripted, text } from "./scripted-stream.js";
import { tool } from "./scripted-tool.js";

const failed = response([], { stopReason: "error", errorMessage: "too long" });

function create(steps: Step[], middleware: AgentMiddleware[]) {
  const stream = scripted(...steps);
  const initialState = { model: MODEL, tools: [tool("look")] };
  return { agent: new Agent({ initialState, streamFn: stream.streamFn, middleware }), stream };
}

const named = (name: string, begin: AgentMiddleware["begin"]): AgentMiddleware => ({ name, begin });

test("beforeRequest comes before transformContext, in the order of the list, and may add messages", async () => {
  const notes: string[] = [];
  const noting = (name: string) =>
    named(name, (run) => ({
      beforeRequest: async () => {
        notes.push(`${name} before`);
        if (run.context.messages.length === 1) await run.add({ role: "user", content: name, timestamp: 1 });
      },
      transformContext: async (messages) => {
        notes.push(`${name} transform ${messages.length}`);
        return messages;
      },
    }));
  const { agent, stream } = create([text("done")], [noting("a"), noting("b")]);
  await agent.prompt("Hi");
  expect(notes).toEqual(["a before", "b before", "a transform 2", "b transform 2"]);
  expect(agent.state.messages[1]).toMatchObject({ content: "a", origin: "a" });
  expect(stream.calls[0]?.context.messages).toHaveLength(2);
});

test("an error of beforeRequest ends the run with an error message, and nothing is sent", async () => {
  const broken = named("broken", () => ({ beforeRequest: () => Promise.reject(new Error("no")) }));
  const { agent, stream } = create([text("done")], [broken]);
  await agent.prompt("Hi");
  expect(agent.state.errorMessage).toBe("no");
  expect(stream.calls).toHaveLength(0);
});

test("after an abort in beforeRequest nothing is sent", async () => {
  const aborting = named("abort", (run) => ({
    beforeRequest: () => {
      run.abort();
      return new Promise(() => {});
    },
  }));
  const { agent, stream } = create([text("done")], [aborting]);
  await agent.prompt("Hi");
  expect(agent.state.messages.at(-1)).toMatchObject({ stopReason: "aborted" });
  expect(stream.calls).toHaveLength(0);
});

/** Recovers as often as it is told, and notes the responses that it was asked about. */
function recovering(times: number, asked: AssistantMessage[], hooks: RunHooks = {}): AgentMiddleware {
  return named("recover", () => {
    let left = times;
    return {
      recover: (message) => {
        asked.push(message);
        return left-- > 0;
      },
      ...hooks,
    };
  });
}

test("a request without content is built and sent again through all hooks, as often as a middleware recovers", async () => {
  const asked: AssistantMessage[] = [];
  const notes: string[] = [];
  const noting = (name: string) =>
    named(name, () => ({
      transformContext: async (messages) => {
        notes.push(`${name} transform`);
        return messages;
      },
      wrapModelCall: async (request, send) => {
        notes.push(`${name} request`);
        return send(request);
      },
    }));
  const { agent, stream } = create([failed, failed, text("done")], [noting("a"), recovering(2, asked), noting("b")]);
  await agent.prompt("Hi");
  expect(agent.state.messages.at(-1)).toMatchObject({ content: [{ text: "done" }], stopReason: "stop" });
  expect(agent.state.messages).toHaveLength(2);
  expect(stream.calls).toHaveLength(3);
  expect(asked).toHaveLength(2);
  const once = ["a transform", "b transform", "a request", "b request"];
  expect(notes).toEqual([...once, ...once, ...once]);
});

test("a response with content, and one that a hook has replaced, need no recovery", async () => {
  const asked: AssistantMessage[] = [];
  const half = response([{ type: "text", text: "half" }], { stopReason: "error", errorMessage: "cut" });
  await create([half], [recovering(1, asked)]).agent.prompt("Hi");
  const replacing = named("replace", () => ({
    wrapModelCall: async (request, send) => {
      await send(request);
      return text("from another");
    },
  }));
  await create([failed], [replacing, recovering(1, asked)]).agent.prompt("Hi");
  expect(asked).toEqual([]);
});

test("without a recovery the failure is the response, and what was sent before counts", async () => {
  const paid = { ...failed, usage: { ...failed.usage, input: 7, totalTokens: 7 } };
  const { agent } = create(
    [paid, { ...failed, usage: { ...failed.usage, input: 9, totalTokens: 9 } }],
    [recovering(1, [])],
  );
  await agent.prompt("Hi");
  const last = agent.state.messages.at(-1);
  expect(last).toMatchObject({ stopReason: "error", usage: { totalTokens: 9 } });
  expect(last).toMatchObject({
    diagnostics: [{ type: "side_requests", details: { usages: [expect.objectContaining({ totalTokens: 7 })] } }],
  });
});

test("toLlm passes messages through the hooks of all others only", async () => {
  const seen: string[] = [];
  const marking = (name: string, convert: boolean) =>
    named(name, (run) => ({
      transformContext: async (messages) => {
        if (convert) seen.push(JSON.stringify(await run.toLlm([{ role: "user", content: "-", timestamp: 1 }])));
        return messages.map((message) =>
          message.role === "user" ? { ...message, content: `${message.content}${name}` } : message,
        );
      },
    }));
  const { agent } = create([text("done")], [marking("a", false), marking("b", true), marking("c", false)]);
  await agent.prompt("Hi");
  expect(JSON.parse(seen[0] ?? "")).toMatchObject([{ content: "-ac" }]);
});

test("a message cannot be added while a response is open, and after the run", async () => {
  const can: boolean[] = [];
  const errors: unknown[] = [];
  let late: (() => Promise<void>) | undefined;
  const adding = named("add", (run) => {
    const add = () => run.add({ role: "user", content: "x", timestamp: 1 });
    late = add;
    run.onDelta(() => {
      if (can.length > 0) return;
      can.push(run.canAdd);
      add().catch((error) => errors.push(error));
    });
    return { afterTurn: () => void can.push(run.canAdd) };
  });
  const { agent } = create([response([call("1", "look")]), text("done")], [adding]);
  await agent.prompt("Hi");
  expect(can).toEqual([false, true, true]);
  expect(String(errors[0])).toContain("cannot add a message now");
  await expect(late?.()).rejects.toThrow("cannot add a message now");
  expect(agent.state.messages.filter(({ role }) => role === "user")).toHaveLength(1);
});
