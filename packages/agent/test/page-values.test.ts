/** A value of a page may have very many keys, each reading of which takes long. The readings are counted. */
import type { AgentMessage } from "pi-agent";
import { fromAgUiMessages } from "pi-agent/ag-ui";
import { answerRequests } from "pi-agent/approvals";
import { fromUIMessages } from "pi-agent/ui-stream";
import { afterEach, expect, test, vi } from "vitest";
import { call, response } from "./scripted-stream.js";

afterEach(() => {
  vi.restoreAllMocks();
});

/** An object that counts how often its value is read. */
function createCounted(): { value: object; reads: () => number } {
  let reads = 0;
  const value = {
    get key() {
      reads++;
      return 1;
    },
  };
  return { value, reads: () => reads };
}

const part = { type: "tool-a", toolCallId: "c", state: "output-available", input: {} };

test("the output of a page is read once", () => {
  const { value, reads } = createCounted();
  const messages = fromUIMessages([{ role: "assistant", parts: [{ ...part, output: value }] }]);
  expect(messages[1]).toMatchObject({ content: [{ text: '{"key":1}' }] });
  expect(reads()).toBe(1);
});

test("an output that has changed since is read again", () => {
  const output = { key: 1 };
  const read = () => fromUIMessages([{ role: "assistant", parts: [{ ...part, output }] }])[1];
  read();
  output.key = 2;
  expect(read()).toMatchObject({ content: [{ text: '{"key":2}' }] });
});

test("the arguments of AG-UI are parsed once, and neither read nor written", () => {
  const { value, reads } = createCounted();
  const parse = vi.spyOn(JSON, "parse").mockReturnValue(value);
  const stringify = vi.spyOn(JSON, "stringify");
  const called = () => ({ id: "c", function: { name: "a", arguments: '{"key":1}' } });
  const [message] = fromAgUiMessages([{ role: "assistant", toolCalls: [called(), called()] } as { role: string }]);
  const [parsed, written] = [parse.mock.calls.length, stringify.mock.calls.length];
  vi.restoreAllMocks();
  expect([parsed, written, reads()]).toEqual([1, 0, 0]);
  expect(message?.content).toHaveLength(1);
});

test("two answers are compared without writing them", async () => {
  const request = { id: "c", kind: "approval", toolCallId: "c", toolName: "a", arguments: {} };
  const mark = {
    ...{ role: "toolResult", toolCallId: "c", toolName: "a", content: [], isError: false, timestamp: 1 },
    pause: { state: "waiting", key: "c", requests: [request] },
  } as unknown as AgentMessage; // As a page sends it.
  const stringify = vi.spyOn(JSON, "stringify");
  const answer = (key: number) => ({ id: "c", approved: true, value: { key, none: null } });
  const messages = [response([call("c", "a")]), mark];
  const answered = await answerRequests(messages, [answer(1), answer(1)]);
  await answerRequests(answered, [answer(1)]);
  expect(stringify).not.toHaveBeenCalled();
  await expect(answerRequests(messages, [answer(1), answer(2)])).rejects.toMatchObject({ kind: "conflict" });
  await expect(answerRequests(answered, [answer(2)])).rejects.toMatchObject({ kind: "stale" });
});
