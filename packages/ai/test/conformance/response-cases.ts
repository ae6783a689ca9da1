/** Cases on successful responses. They need no network. */

import type { AssistantMessageEvent } from "pi-ai";
import { expect } from "vitest";
import { expectResponse, freeze, type Subject } from "./subject.js";
import { type ExpectedResponse, RESPONSE_NAMES, type ResponseName } from "./target.js";

export interface ConformanceCase<TSubject = Subject> {
  name: string;
  run(subject: TSubject): Promise<void>;
}

const CONTENTS: Readonly<Record<ResponseName, string>> = {
  text: "text",
  thinking: "thinking and then text",
  call: "a call",
  parallelCalls: "two calls",
  interleavedCalls: "two calls whose pieces alternate",
  unicode: "text and arguments beyond U+FFFF",
  citation: "text with a source",
  serverTool: "a server tool with its result",
  waitingTool: "a server tool that waits",
  pause: "a response that is to be continued",
  image: "an image",
  file: "a file",
  compaction: "a compaction",
};

/** The events that a response must have, whatever the api. */
const EVENTS: Partial<Record<ResponseName, readonly AssistantMessageEvent["type"][]>> = {
  citation: ["citation"],
  serverTool: ["servertool_start", "servertool_end"],
  waitingTool: ["servertool_start", "servertool_end"],
  image: ["file_end"],
  file: ["file_end"],
  compaction: ["compaction_end"],
};

export const responseCases: readonly ConformanceCase[] = [
  ...RESPONSE_NAMES.map((name) =>
    caseOf(name, `gives ${CONTENTS[name]}`, async (subject, expected) => {
      expectResponse(await subject.run(subject.target.prepare(name)), expected);
    }),
  ),
  ...RESPONSE_NAMES.map((name) =>
    caseOf(name, `never changes what an event showed: ${CONTENTS[name]}`, async (subject) => {
      const shown: { event: AssistantMessageEvent; streaming: ReadonlySet<number>; frozen: string }[] = [];
      const open = new Set<number>();
      for await (const event of subject.start(subject.target.prepare(name))) {
        if (event.type === "toolcall_start" || event.type === "servertool_start") open.add(event.contentIndex);
        if (event.type === "toolcall_end" || event.type === "servertool_end") open.delete(event.contentIndex);
        const streaming = new Set(open);
        shown.push({ event, streaming, frozen: freeze(event, streaming) });
      }
      expect(shown.length).toBeGreaterThan(2);
      for (const { event, streaming, frozen } of shown) expect(freeze(event, streaming)).toBe(frozen);
    }),
  ),
  // Object.keys has no narrower type; the record names exactly these keys.
  ...(Object.keys(EVENTS) as ResponseName[]).map((name) =>
    caseOf(name, `emits the events of ${CONTENTS[name]}`, async (subject) => {
      const seen: AssistantMessageEvent["type"][] = [];
      for await (const event of subject.start(subject.target.prepare(name))) seen.push(event.type);
      expect(seen).toEqual(expect.arrayContaining([...(EVENTS[name] ?? [])]));
    }),
  ),
  ...(["call", "interleavedCalls"] as const).map((name) =>
    caseOf(name, `shows arguments while they stream: ${CONTENTS[name]}`, checkLiveArguments(name)),
  ),
  {
    name: "returns the same message to a caller that only awaits the result",
    run: async (subject) => {
      const message = await subject.start(subject.target.prepare("text")).result();
      expectResponse(message, responseOf(subject, "text"));
    },
  },
  {
    name: "ends a second iteration immediately",
    run: async (subject) => {
      const stream = subject.start(subject.target.prepare("text"));
      for await (const _ of stream);
      for await (const event of stream) expect(event).toBeUndefined();
    },
  },
  {
    name: "keeps concurrent requests apart",
    run: async (subject) => {
      const names = RESPONSE_NAMES.filter((name) => subject.target.responses[name]);
      const calls = names.map((name) => subject.start(subject.target.prepare(name)).result());
      const messages = await Promise.all(calls);
      for (const [index, name] of names.entries()) {
        const message = messages[index];
        if (message) expectResponse(message, responseOf(subject, name));
      }
    },
  },
  {
    name: "names the model and the time of the response",
    run: async (subject) => {
      const call = subject.target.prepare("text");
      const before = Date.now();
      const { api, provider, model, timestamp } = await subject.run(call);
      expect({ api, provider, model }).toEqual({
        api: call.model.api,
        provider: call.model.provider,
        model: call.model.id,
      });
      expect(timestamp).toBeGreaterThanOrEqual(before);
      expect(timestamp).toBeLessThanOrEqual(Date.now());
    },
  },
];

function caseOf(
  response: ResponseName,
  name: string,
  run: (subject: Subject, expected: ExpectedResponse) => Promise<void>,
): ConformanceCase {
  return { name, run: (subject) => run(subject, responseOf(subject, response)) };
}

/** The names of the cases that need this response. */
export function casesOfResponse(response: ResponseName): string[] {
  return responseCases.filter((one) => one.name.endsWith(` ${CONTENTS[response]}`)).map((one) => one.name);
}

function responseOf({ target }: Subject, name: ResponseName): ExpectedResponse {
  const expected = target.responses[name];
  if (!expected) throw new Error(`${target.name} has no response ${name}`);
  return expected;
}

/** Each view of the arguments contains only what the final ones contain, and no text is longer than the final one. */
function checkLiveArguments(name: ResponseName) {
  return async (subject: Subject): Promise<void> => {
    const views: { index: number; path: unknown }[] = [];
    const stream = subject.start(subject.target.prepare(name));
    for await (const event of stream) {
      if (event.type !== "toolcall_delta") continue;
      const block = event.partial.content[event.contentIndex];
      if (block?.type !== "toolCall") throw new Error(`Block ${event.contentIndex} is ${block?.type}`);
      expect(Object.keys(block.arguments).every((key) => key === "path")).toBe(true);
      views.push({ index: event.contentIndex, path: block.arguments["path"] ?? "" });
    }
    const { content } = await stream.result();
    expect(views.length).toBeGreaterThan(0);
    for (const { index, path } of views) {
      const block = content[index];
      const final = block?.type === "toolCall" ? String(block.arguments["path"]) : "";
      expect(final.startsWith(String(path))).toBe(true);
    }
  };
}
