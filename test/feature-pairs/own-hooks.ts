/** What an application attaches itself: the single hooks and options of an agent. */
import type { Message } from "pi-ai";
import { expect } from "vitest";
import { type Feature, newEvents, ownRequests } from "./feature.js";
import { SECRET } from "./server.js";

const CONVERTED = "[converted]";

/** Redacts a secret in what the model gets, whatever sends it. */
const transformContext: Feature = {
  name: "transformContext",
  begin: () => ({
    attach: ({ options }) => {
      options.transformContext = async (messages) =>
        JSON.parse(JSON.stringify(messages).replaceAll(SECRET, "[redacted]"));
    },
    check: (seen) => {
      expect(JSON.stringify(seen.last.messages), "the transcript keeps the secret").toContain(SECRET);
      const told = ownRequests(seen).filter(({ context }) => JSON.stringify(context).includes(SECRET));
      expect(told.length, "requests with the secret").toBe(0);
    },
  }),
};

/** Sees every request that is sent, with its response. */
const wrapModelCall: Feature = {
  name: "wrapModelCall",
  begin: () => {
    const seenRequests: string[] = [];
    const dollars: number[] = [];
    return {
      attach: ({ options }) => {
        options.wrapModelCall = async (request, send) => {
          seenRequests.push(JSON.stringify(request.context.messages));
          const response = await send(request);
          dollars.push(response.usage.cost.total);
          return response;
        };
      },
      check: (seen) => {
        const sent = ownRequests(seen);
        const messages = sent.map(({ context }) => JSON.stringify(context.messages));
        // It is the outermost, so it sees a request that a limit then refuses.
        const unseen = messages.filter((request) => !seenRequests.includes(request));
        expect(unseen, "requests that the hook did not see").toEqual([]);
        if (!seen.isCut) expect(seenRequests.length, "requests that the hook saw").toBe(messages.length);
        if (seen.isCut) return;
        const paid = sent.map(({ response }) => response.usage.cost.total);
        expect(dollars.toSorted(), "responses that the hook saw").toEqual(paid.toSorted());
      },
    };
  },
};

/** Sees each call of an application's tool once, before, around and after it, and has the last word on its result. */
const toolHooks: Feature = {
  name: "toolHooks",
  begin: () => {
    const calls: Record<"before" | "around" | "after", string[]> = { before: [], around: [], after: [] };
    return {
      attach: ({ options }) => {
        options.beforeToolCall = async ({ toolCall }) => void calls.before.push(toolCall.name);
        options.wrapToolCall = (call, execute) => {
          calls.around.push(call.toolCall.name);
          return execute();
        };
        options.afterToolCall = async ({ toolCall, result }) => {
          calls.after.push(toolCall.name);
          return { content: [...result.content, { type: "text", text: "checked" }] };
        };
      },
      check: ({ toolRuns, last, isCut, names }) => {
        const expected = toolRuns.toSorted();
        // An abort can keep a call from its tool while a hook around it waits.
        if (isCut && names.includes("notes")) expect(calls.around.length).toBeGreaterThanOrEqual(toolRuns.length);
        else expect(calls.around.toSorted(), "around").toEqual(expected);
        // It is asked first about a call that a limit then refuses, and not asked after an abort.
        if (isCut) return;
        expect(calls.before.toSorted(), "before").toEqual(expected);
        expect(calls.after.toSorted(), "after").toEqual(expected);
        const results = last.messages.filter((message) => message.role === "toolResult");
        const changed = results.filter(({ content }) => JSON.stringify(content).includes("checked"));
        expect(changed.length, "changed results").toBe(toolRuns.length);
      },
    };
  },
};

/** Decides after each turn: the level of thinking rises after the first one, and no run stops early. */
const afterTurns: Feature = {
  name: "prepareNextTurn",
  begin: () => {
    let turns = 0;
    let questions = 0;
    return {
      attach: ({ options }) => {
        options.prepareNextTurn = () => {
          turns++;
          return { thinkingLevel: "high" };
        };
        options.shouldStopAfterTurn = async () => {
          questions++;
          return false;
        };
      },
      check: (seen) => {
        if (seen.isCut) return;
        const ended = newEvents(seen).filter(({ type }) => type === "turn_end").length;
        expect([turns, questions], "turns that were asked about").toEqual([ended, ended]);
        const second = ownRequests(seen).filter(({ kind }) => kind === "main")[1];
        expect(second?.options.reasoning, "the level of the second request").toBe("high");
      },
    };
  },
};

/** The key, the conversion, the headers and the body of every request are the application's. */
const requestOptions: Feature = {
  name: "requestOptions",
  begin: () => {
    let payloads = 0;
    return {
      attach: ({ options }) => {
        options.getApiKey = (provider) => `key-of-${provider}`;
        options.streamOptions = { headers: { "x-team": "a" } };
        options.onPayload = (payload) => {
          payloads++;
          return payload;
        };
        options.convertToLlm = (messages) =>
          messages.flatMap((message): Message[] => {
            if (message.role === "toolResult" || message.role === "assistant") return [message];
            if (message.role !== "user") return [];
            return [{ ...message, content: `${CONVERTED} ${JSON.stringify(message.content)}` }];
          });
      },
      check: (seen) => {
        const sent = seen.server.sent.filter(({ kind }) => kind !== "child");
        for (const { kind, options, context } of sent) {
          expect(options.apiKey, `the key of a ${kind} request`).toBe("key-of-faux");
          expect(options.headers?.["x-team"], `the header of a ${kind} request`).toBe("a");
          // A question of a guard is not a part of the conversation.
          if (kind === "judge") continue;
          expect(JSON.stringify(context.messages), `the messages of a ${kind} request`).toContain(CONVERTED);
          if (kind !== "main") continue;
          const raw = context.messages.filter(
            ({ role, content }) => role === "user" && !JSON.stringify(content).startsWith(`"${CONVERTED}`),
          );
          expect(raw, "messages of the user that were not converted").toEqual([]);
        }
        expect(payloads, "bodies that the application saw").toBe(sent.length);
      },
    };
  },
};

export const ownHooks: readonly Feature[] = [transformContext, wrapModelCall, toolHooks, afterTurns, requestOptions];
