/** Typed output from recorded responses: JSON text, tool calls whose arguments are the output, and refusals. */

import { registerBuiltInApiProviders } from "pi-ai";
import { OutputError, streamObject } from "pi-ai/object";
import { beforeAll, describe, expect, test } from "vitest";
import { API_TESTS } from "../protocols/all-apis.js";
import { modelFor, optionsFor } from "../wire/call.js";
import { readRecordings, type StreamRecording } from "../wire/recordings.js";

beforeAll(registerBuiltInApiProviders);

/** A schema that the value fits. Providers reject one that permits everything. */
function schemaOf(value: unknown): object {
  if (value === null) return { type: "null" };
  if (Array.isArray(value)) return { type: "array", items: value.length > 0 ? schemaOf(value[0]) : { type: "string" } };
  if (typeof value !== "object") return { type: typeof value };
  const properties = Object.fromEntries(Object.entries(value).map(([name, part]) => [name, schemaOf(part)]));
  return { type: "object", properties, required: Object.keys(value), additionalProperties: false };
}

function parse(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? "");
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The typed output that the recording contains, according to its metadata. */
function outputOf({ truth }: StreamRecording): { mode: "native" | "tool"; name: string; value: object } | undefined {
  const [call, ...others] = truth.toolCalls ?? [];
  const { text, complete } = truth;
  if (!complete || others.length > 0 || /length|max_tokens|incomplete/i.test(`${truth.stopReason} ${truth.status}`))
    return undefined;
  // An api without a stop reason for tool calls ends them with the response.
  if (call)
    return isObject(call.arguments) && call.name !== ""
      ? { mode: "tool", name: call.name, value: call.arguments }
      : undefined;
  const value = parse(text?.trim());
  return isObject(value) ? { mode: "native", name: "output", value } : undefined;
}

async function replay(recording: StreamRecording, { mode, name, value }: NonNullable<ReturnType<typeof outputOf>>) {
  const type = recording.api === "bedrock-converse-stream" ? "application/vnd.amazon.eventstream" : "text/event-stream";
  const fetch = async (): Promise<Response> =>
    new Response(new Uint8Array(recording.body), { headers: { "content-type": type } });
  const model = modelFor(recording, "https://api.test");
  const stream = streamObject(model, "Go", {
    ...optionsFor(recording),
    schema: schemaOf(value),
    mode,
    name,
    maxRepairs: 0,
    fetch,
  });
  let last: unknown;
  for await (const { partial } of stream) last = partial;
  return { last, result: await stream.result() };
}

/** A tool name that a provider sent but no provider accepts cannot be the name of an output. */
const NAME = /^[A-Za-z0-9_-]{1,64}$/;

const recordings = API_TESTS.flatMap(({ api }) => readRecordings(api)).filter((each) => each.kind === "stream");
const outputs = recordings.flatMap((recording) => {
  const output = outputOf(recording);
  return output && NAME.test(output.name) ? [{ api: recording.api, case: recording.name, recording, ...output }] : [];
});

const WITHOUT = recordings.length === 0 ? " (skipped: set PI_WIRE_DIR to the folder of recordings)" : "";

describe.skipIf(WITHOUT)(`recorded outputs${WITHOUT}`, () => {
  test.each(outputs)("$api $case", async ({ recording, mode, name, value }) => {
    const { last, result } = await replay(recording, { mode, name, value });
    expect(result.object).toEqual(value);
    if (Object.keys(value).length > 0) expect(last).toBeDefined();
  });

  test("cover every api that has recordings", () => {
    const apis = new Set(recordings.map(({ api }) => api));
    expect(new Set(outputs.map(({ api }) => api))).toEqual(apis);
    expect(outputs.filter(({ mode }) => mode === "native").length).toBeGreaterThan(3);
  });

  const refusals = recordings
    .filter(({ truth }) => Boolean(truth.refusal))
    .map((recording) => ({ case: recording.name, recording }));
  test.each(refusals)("a refusal is a content_filter: $case", async ({ recording }) => {
    const error: unknown = await replay(recording, { mode: "native", name: "output", value: { a: "" } }).catch(
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(OutputError);
    expect(error).toMatchObject({ kind: "content_filter" });
  });
});
