/** Features that pass a run on: logs, stores, pages, products, and the inspector. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentMessage } from "pi-agent";
import { toAgUiStream } from "pi-agent/ag-ui";
import { subscribeEmbedded } from "pi-agent/embed";
import { createMemoryEventStore, publish, type RunEvent } from "pi-agent/event-store";
import { jsonlSessions } from "pi-agent/session";
import { applyRunEvent, type RunView } from "pi-agent/sse/client";
import { toUIMessageStream } from "pi-agent/ui-stream";
import { inspect } from "pi-inspect";
import { expect } from "vitest";
import { count, type Feature, readAll, responseTexts } from "./feature.js";
import { type Host, REPLIES } from "./scene.js";
import { SUMMARY } from "./server.js";

/** Stores each message of the transcript once, in its order. */
const sessionLog: Feature = {
  name: "sessionLog",
  begin: () => {
    const folder = mkdtempSync(join(tmpdir(), "pairs-"));
    const sessions = jsonlSessions(folder);
    return {
      attach: async (setup) => {
        const log = await sessions.log("s");
        setup.middleware.push(log);
        setup.leaves.push(() => log.close());
      },
      check: async ({ last }) => {
        const stored = await sessions.load("s");
        rmSync(folder, { recursive: true });
        const plain: AgentMessage[] = JSON.parse(JSON.stringify(last.messages));
        // A conversation is loaded without a failed response at its end, so that it can be continued.
        if (isFailed(plain.at(-1))) plain.pop();
        expect(stored?.messages, "the stored conversation").toEqual(plain);
      },
    };
  },
};

/** A page that follows the store sees each message of the transcript once, and the end of each run. */
const publishing: Feature = {
  name: "publish",
  begin: () => {
    const store = createMemoryEventStore<RunEvent>();
    return {
      attach: ({ middleware }) => {
        let run = 0;
        middleware.push(publish(store, () => `run ${run++}`));
      },
      check: async ({ last }) => {
        let shown: AgentMessage[] = [];
        let starts = 0;
        for (const run of REPLIES.keys()) {
          let view: RunView = { messages: [] };
          for await (const [, event] of store.read(`run ${run}`)) {
            if (event.type === "agent_start") starts++;
            view = applyRunEvent(view, event);
          }
          // A snapshot holds what was before the run, too.
          const prompts = view.messages.filter(
            ({ role, origin }: { role: string; origin?: string }) => role === "user" && !origin,
          );
          const isWhole = prompts.length > 1;
          shown = isWhole ? view.messages : [...shown, ...view.messages];
        }
        expect(responseTexts(shown), "responses on the page").toEqual(responseTexts(last.messages));
        expect(starts, "runs that the store was told of").toBe(REPLIES.length);
      },
    };
  },
};

/** The parts of a chunk that both stream formats have. */
interface PageChunk {
  type: string;
  delta?: string;
  toolCallId?: string;
  preliminary?: boolean;
}

/** Reads what a page gets of each run of one process. */
function page(open: (host: Host, run: number) => ReadableStream<PageChunk>, format: PageFormat): Feature["begin"] {
  return () => {
    const runs: PageChunk[][] = [];
    return {
      attach: (setup) => {
        setup.pages.push((host, run) => readAll(open(host, run)).then((chunks) => void runs.push(chunks)));
      },
      check: ({ toolRuns, last: { messages }, isCut }) => {
        // Each process has a page of its own.
        const last = runs.slice(-REPLIES.length);
        const texts = last.map((chunks) => chunks.flatMap(({ delta = "" }) => delta).join(""));
        for (const reply of REPLIES) {
          const expected = count(responseTexts(messages), reply);
          expect(count(texts, reply), `how often the page shows "${reply}"`).toBe(expected);
        }
        if (isCut) return;
        expect(last.map((chunks) => chunks.at(-1)?.type)).toEqual(last.map(() => format.end));
        const results = last
          .flat()
          .filter(
            ({ type, toolCallId = "", preliminary }) =>
              type === format.result && toolCallId.startsWith("c") && !preliminary,
          );
        expect(results.length, "results of tools").toBe(toolRuns.length);
        const asUser = runs.flat().filter((chunk) => JSON.stringify(chunk).includes(SUMMARY) && format.isUser(chunk));
        expect(asUser, "summaries that are shown as words of the user").toEqual([]);
      },
    };
  };
}

interface PageFormat {
  end: string;
  result: string;
  isUser(chunk: PageChunk): boolean;
}

function isFailed(message: AgentMessage | undefined): boolean {
  return message?.role === "assistant" && (message.stopReason === "error" || message.stopReason === "aborted");
}

const uiStream: Feature = {
  name: "ui-stream",
  begin: page((host) => toUIMessageStream(host), {
    ...{ end: "finish", result: "tool-output-available" },
    isUser: ({ type }) => type === "steering-message",
  }),
};

const agUi: Feature = {
  name: "ag-ui",
  begin: page((host, run) => toAgUiStream(host, { threadId: "t", runId: `run ${run}` }), {
    ...{ end: "RUN_FINISHED", result: "TOOL_CALL_RESULT" },
    isUser: (chunk) => JSON.stringify(chunk).includes('"user"'),
  }),
};

/** Delivers each reply once, whatever process ends the run. */
const embed: Feature = {
  name: "embed",
  begin: () => {
    const delivered: string[] = [];
    return {
      attach: (setup) => {
        setup.joins.push((host) => {
          const onBlockReply = ({ text = "" }: { text?: string }) => void delivered.push(text);
          const subscription = subscribeEmbedded(host, { onBlockReply });
          setup.leaves.push(() => subscription.whenDelivered());
        });
      },
      check: ({ last, isCut }) => {
        expect(new Set(delivered).size, "different replies").toBe(delivered.length);
        if (!isCut) expect(delivered, "replies").toEqual(responseTexts(last.messages));
      },
    };
  },
};

/** Records each run for a page of this machine, and changes nothing for the others. */
const inspector: Feature = {
  name: "inspect",
  begin: () => {
    const listed: number[] = [];
    return {
      attach: async (setup) => {
        const own = inspect({ onUrl: () => {} });
        // Sources have no page before they are built: the recording is then checked beside its code only.
        const url = await own.url.catch(() => undefined);
        const before = url ? await countRuns(url) : 0;
        setup.middleware.push(own);
        setup.leaves.push(async () => {
          if (url) listed.push((await countRuns(url)) - before);
          await own.close().catch((error: unknown) => {
            if (url) throw error;
          });
        });
      },
      check: ({ isCut }) => {
        if (listed.length > 0 && !isCut)
          expect(listed.at(-1), "runs on the page").toBeGreaterThanOrEqual(REPLIES.length);
      },
    };
  },
};

async function countRuns(url: string): Promise<number> {
  const runs: unknown[] = await (await fetch(new URL("api/runs", url))).json();
  return runs.length;
}

export const readerFeatures: readonly Feature[] = [sessionLog, publishing, uiStream, agUi, embed, inspector];
