/** The middlewares of the guide, which an application writes itself. */
import type { AgentMessage, AgentMiddleware } from "pi-agent";
import type { AssistantMessage } from "pi-ai";
import { expect } from "vitest";
import { cacheResponses, guard, redact } from "../../examples/guides/src/middleware.js";
import { count, type Feature, ownRequests } from "./feature.js";
import { REFUSAL } from "./losses.js";
import { MODEL, NOTE_PROMPT, SECRET } from "./server.js";

/** Stores each response that ended well once. It must come before limits, which do not count what it answers. */
const cache: Feature = {
  name: "cache",
  before: ["limits", REFUSAL],
  begin: () => {
    const store = new Map<string, AssistantMessage>();
    return {
      attach: ({ middleware }) => void middleware.push(cacheResponses(store)),
      check: (seen) => {
        if (seen.isCut) return;
        const good = ownRequests(seen).filter(({ response }) => response.stopReason !== "error");
        expect(store.size, "stored responses").toBe(good.length);
      },
    };
  },
};

/** No request holds a secret, whoever sends it. */
const redaction: Feature = {
  name: "redact",
  begin: () => ({
    attach: ({ middleware }) => void middleware.push(redact(new RegExp(SECRET, "g"))),
    check: (seen) => {
      const told = ownRequests(seen).filter(({ context }) => JSON.stringify(context).includes(SECRET));
      expect(told.length, "requests with the secret").toBe(0);
    },
  }),
};

/** Asks a second model about each call of the application's tools once. */
const judging: Feature = {
  name: "guard",
  begin: () => ({
    attach: ({ middleware }) => void middleware.push(guard(MODEL, "Nothing may be deleted.")),
    check: ({ server, toolRuns, isCut }) => {
      const questions = server.counted.filter(({ kind }) => kind === "judge").length;
      if (isCut) expect(questions).toBeGreaterThanOrEqual(toolRuns.length);
      else expect(questions, "questions").toBe(toolRuns.length);
    },
  }),
};

const NOTES = ["before the call", "around the call", "after the call"] as const;

/** Adds a note at each place around a call where it may, and asks a model about its result and about each turn. */
const notes: AgentMiddleware = {
  name: "notes",
  begin: (run) => {
    const add = async (content: string) => {
      if (run.canAdd) await run.add({ role: "user", content, timestamp: 1 });
    };
    const ask = async (what: string) => {
      const question: AgentMessage = { role: "user", content: `What does ${what} say?`, timestamp: 1 };
      const context = { systemPrompt: NOTE_PROMPT, messages: await run.toLlm([question]) };
      await run.request({ model: MODEL, context });
    };
    return {
      beforeToolCall: async () => {
        await add(NOTES[0]);
        return undefined;
      },
      wrapToolCall: async (_call, execute) => {
        await add(NOTES[1]);
        return execute();
      },
      afterToolCall: async ({ toolCall }) => {
        await ask(`the result of ${toolCall.id}`);
        await add(NOTES[2]);
        return undefined;
      },
      afterTurn: async () => {
        await ask(`the turn that ends with message ${run.context.messages.length}`);
        return undefined;
      },
    };
  },
};

/** Each note and each answer is there once, whichever process has made it. */
const noting: Feature = {
  name: "notes",
  begin: () => ({
    attach: ({ middleware }) => void middleware.push(notes),
    check: ({ server, toolRuns, last, isCut, names }) => {
      if (isCut) return;
      const texts = last.messages.map(({ content }) => JSON.stringify(content));
      // A durable run stores only the outcomes of tools.
      for (const note of names.includes("durable") ? NOTES.slice(0, 1) : NOTES)
        expect(count(texts, note), `notes ${note}`).toBe(toolRuns.length);
      const questions = server.counted.filter(({ kind }) => kind === "note").length;
      const turns = last.messages.filter(({ role }) => role === "assistant").length;
      expect(questions, "questions about results and turns").toBe(toolRuns.length + turns);
    },
  }),
};

export const thirdPartyFeatures: readonly Feature[] = [cache, redaction, judging, noting];
