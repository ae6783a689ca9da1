/** The middlewares of the guide, which an application writes itself. */
import type { AssistantMessage } from "pi-ai";
import { expect } from "vitest";
import { cacheResponses, guard, redact } from "../../examples/guides/src/middleware.js";
import { type Feature, ownRequests } from "./feature.js";
import { REFUSAL } from "./losses.js";
import { MODEL, SECRET } from "./server.js";

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

export const thirdPartyFeatures: readonly Feature[] = [cache, redaction, judging];
