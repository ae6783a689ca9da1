/** Features that belong to a run: middleware, the engine of a durable run, and tools that run agents. */

import { Agent, type AgentEvent, type AgentOptions } from "pi-agent";
import { type ApprovalsOptions, approvals } from "pi-agent/approvals";
import { compact, isCompactionMessage } from "pi-agent/compact";
import { agentTool, Budget, limits } from "pi-agent/limits";
import { trace } from "pi-agent/otel";
import { toolSearch } from "pi-agent/tool-search";
import { Type } from "pi-ai";
import { expect } from "vitest";
import { DIED, SpanRecorder } from "./doubles.js";
import { count, type Feature, newEvents, ownRequests } from "./feature.js";
import { type ProcessView, REPLIES, type Setup, stepsOf } from "./scene.js";
import { CHILD_PROMPT, MODEL, SUMMARY } from "./server.js";

/** Counts each request, dollar, token and tool that ran, once. */
const limit: Feature = {
  name: "limits",
  begin: () => {
    const budgets: Budget[] = [];
    return {
      attach: ({ middleware }) => {
        const budget = new Budget({ usd: 1e9, tokens: 1e9, toolCalls: 100, turns: 100 });
        budgets.push(budget);
        middleware.push(limits({ budget }));
      },
      check: ({ server, toolRuns, processes }) => {
        const spent = { turns: server.counted.length, usd: server.dollars, tokens: server.tokens };
        // Each process that ends the runs has counted all of it, whatever it has repeated.
        for (const [index, { error }] of processes.entries())
          if (!error) expect(budgets[index]?.used, "used").toMatchObject({ ...spent, toolCalls: toolRuns.length });
      },
    };
  },
};

/** Runs an agent whose result, events and usage belong to the run. */
const child = (name: string, optionsOf: (setup: Setup) => AgentOptions): Feature => ({
  name,
  needs: { child: true },
  begin: ({ server, toolRuns }) => ({
    attach: (setup) => {
      // The other row of this kind may be there.
      if (setup.tools.some((tool) => tool.name === "child")) return;
      const { streamFn } = server;
      const create = () => {
        toolRuns.push("child");
        const initialState = { model: MODEL, systemPrompt: CHILD_PROMPT };
        return new Agent({ ...optionsOf(setup), initialState, streamFn });
      };
      const tool = { name: "child", description: "Asks a child", parameters: Type.Object({ question: Type.String() }) };
      setup.tools.push(agentTool({ ...tool, agent: create, replay: "safe" }));
    },
    check: (seen) => {
      if (seen.isCut) return;
      const results = seen.last.messages.filter((message) => message.role === "toolResult");
      expect(count([JSON.stringify(results)], "the child responds"), "its text in the results").toBe(1);
      expect(seen.server.sent.filter(({ kind }) => kind === "child").length, "its requests").toBe(1);
      const ends = newEvents(seen).filter((event) => event.type === "child_event" && event.event.type === "agent_end");
      expect(ends.length, "ends of its run that were shown").toBe(1);
    },
  }),
});

/** What a process has done, no later one does again: it comes to the same transcript, and marks what it repeats. */
const steps: Feature = {
  name: "durable",
  needs: { replay: true },
  begin: ({ engine }) => ({
    attach: (setup) => {
      setup.engine = engine;
    },
    check: (seen) => {
      const [died, finished, repeated] = seen.processes;
      if (seen.diesInside) expect(String(died?.error), "the end of the first process").toContain(DIED);
      expect(repeated?.messages, "the transcript of the last process").toEqual(finished?.messages);
      // Whether an answer is new is not known before the next step.
      const isNew = ({ replayed, type }: AgentEvent) => !replayed && type !== "approval_resolved";
      expect(
        repeated?.events.filter(isNew).map(({ type }) => type),
        "new events of the last process",
      ).toEqual([]);
      // A repeated run has no deltas, does not run the agents of its tools again, and knows what a question beside the
      // conversation has cost from the next response only.
      const unrepeated: AgentEvent["type"][] = ["message_update", "child_event", "budget_warning"];
      const typesOf = (view?: ProcessView) =>
        view?.events.map(({ type }) => type).filter((type) => !unrepeated.includes(type));
      expect(typesOf(repeated), "events of the last process").toEqual(typesOf(finished));
      const ends = newEvents(seen).flatMap((event) => (event.type === "message_end" ? [event.message] : []));
      expect(
        ends.map(({ role }) => role),
        "messages that were shown as new",
      ).toEqual(seen.last.messages.map(({ role }) => role));
    },
  }),
};

/** Asks a person about each call of the application's tools, once. */
const approve: Feature = {
  name: "approvals",
  begin: () => {
    const asked: string[] = [];
    const when: ApprovalsOptions["when"] = ({ tool }) => {
      asked.push(tool.name);
      return true;
    };
    return {
      attach: ({ middleware }) => {
        middleware.push(approvals({ when, ask: async () => ({ approved: true }) }));
      },
      check: ({ toolRuns, last, isCut }) => {
        // Of calls in parallel, an abort can keep one from running that was approved.
        const ran = isCut ? asked.slice(0, toolRuns.length) : asked;
        expect(ran.toSorted(), "calls that a person was asked about").toEqual(toolRuns.toSorted());
        const resolved = last.events.filter((event) => event.type === "approval_resolved" && event.approved);
        expect(resolved.length, "answers that were shown").toBe(asked.length);
      },
    };
  },
};

/** Shortens a conversation that a server refuses, and says so in the transcript. */
const compaction: Feature = {
  name: "compact",
  needs: { overflow: true },
  begin: () => ({
    attach: ({ middleware }) => void middleware.push(compact({ at: 0.9, keep: 1 })),
    check: (seen) => {
      if (seen.isCut) return;
      const records = seen.last.messages.filter(isCompactionMessage);
      expect(records.length, "records in the transcript").toBe(1);
      expect(JSON.stringify(records), "the record").toContain(SUMMARY);
      const kinds = ownRequests(seen).map(({ kind }) => kind);
      expect(kinds.filter((kind) => kind === "summary").length, "summaries that were paid").toBe(1);
      const again = ownRequests(seen).at(-1);
      expect(JSON.stringify(again?.context.messages), "the request after the summary").toContain(SUMMARY);
    },
  }),
};

/** Ends each run with a value that fits the schema. */
const output: Feature = {
  name: "output",
  needs: { output: true },
  begin: () => ({
    attach: (setup) => {
      setup.output = { schema: Type.Object({ city: Type.String() }), mode: "tool" };
    },
    check: (seen) => {
      if (seen.isCut) return;
      const values = newEvents(seen).flatMap((event) => (event.type === "output" ? [event.output] : []));
      expect(values).toEqual(REPLIES.map(() => ({ city: "Oslo" })));
    },
  }),
};

/** Records a span for each request and each tool that ran, with what was paid, and ends all of them. */
const tracing: Feature = {
  name: "trace",
  begin: () => {
    const recorder = new SpanRecorder();
    return {
      attach: ({ middleware }) => void middleware.push(trace({ api: recorder.api, name: "agent" })),
      check: ({ server, toolRuns, isCut, names }) => {
        expect(recorder.named("chat").length, "spans of requests").toBe(server.counted.length);
        expect(recorder.sum("chat", "pi.usage.cost"), "dollars in the spans").toBe(server.dollars);
        const tools = recorder.named("execute_tool").length;
        // An abort can keep a call from its tool while a hook around it waits.
        if (isCut && names.includes("notes")) expect(tools, "spans of tools").toBeGreaterThanOrEqual(toolRuns.length);
        else expect(tools, "spans of tools").toBe(toolRuns.length);
        expect(recorder.spans.filter(({ isEnded }) => !isEnded)).toEqual([]);
        const durations = recorder.metrics.filter(({ name }) => name === "gen_ai.client.operation.duration");
        expect(durations.length, "durations of requests").toBe(server.counted.length);
      },
    };
  },
};

/** A tool that nobody looks for is in no request of the conversation. */
const search: Feature = {
  name: "toolSearch",
  begin: () => ({
    attach: ({ tools, middleware }) => {
      const parameters = Type.Object({});
      tools.push({ name: "rare", description: "Rare", parameters, loading: "deferred", execute: async () => "" });
      middleware.push(toolSearch({ share: 0 }));
    },
    check: ({ server }) => {
      const offered = server.sent.filter(({ kind }) => kind === "main").map(({ context }) => context.tools ?? []);
      const names = offered.map((list) => list.map(({ name }) => name));
      expect(names.filter((list) => list.includes("rare") || !list.includes("search_tools"))).toEqual([]);
    },
  }),
};

export const runFeatures: readonly Feature[] = [
  limit,
  search,
  child("agentTool", () => ({})),
  child("agentTool with steps", stepsOf),
  steps,
  approve,
  compaction,
  output,
  tracing,
];
