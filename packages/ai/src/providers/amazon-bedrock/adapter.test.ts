import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { bedrockConverseStream } from "../../../test/protocols/bedrock-converse-stream/fixtures.js";
import { CALL_ENVIRONMENT, CANARIES } from "../../../test/support/credentials.js";
import type { PreparedResponse } from "../../../test/support/exchange.js";
import { TestServer } from "../../../test/support/test-server.js";
import { stream } from "../../index.js";
import type { AssistantMessage } from "../../types/message.js";
import { crc32 } from "../../wire/crc32.js";

const CONTEXT = { messages: [{ role: "user" as const, content: "Hello", timestamp: 0 }] };
const { text } = bedrockConverseStream.responses;
/** The start of a response, with its first words. */
const BEGINNING = text.frames.slice(0, 2).map((frame) => Buffer.from(frame));

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start();
});
afterAll(async () => {
  await server.stop();
  vi.unstubAllEnvs();
});
beforeEach(() => {
  for (const [name, value] of Object.entries(CALL_ENVIRONMENT)) vi.stubEnv(name, value);
});

function responseTo(prepared: PreparedResponse): Promise<AssistantMessage> {
  const { url } = server.expect(prepared);
  return stream(bedrockConverseStream.model(url), CONTEXT, { maxRetries: 0 }).result();
}

test.each([
  [
    400,
    "ValidationException:http://internal.amazon.com/coral/com.amazon.coral.service/",
    "Validation error: Words",
    "invalid_request",
  ],
  [429, "ThrottlingException", "Throttling error: Words", "rate_limit"],
  [503, "ServiceUnavailableException", "Service unavailable: Words", "overloaded"],
  [500, "InternalServerException", "Internal server error: Words", "server"],
  [424, "ModelErrorException", "ModelErrorException: Words", "invalid_request"],
  [403, "AccessDeniedException", expect.stringMatching(/^AccessDeniedException: Words \(provider /), "permission"],
  [
    404,
    "ResourceNotFoundException",
    expect.stringMatching(/^ResourceNotFoundException: Words \(provider .*asked: http:.*converse-stream\)$/),
    "not_found",
  ],
  // Without a name, the status determines the kind.
  [400, undefined, "Validation error: Words", "invalid_request"],
  [429, undefined, "Throttling error: Words", "rate_limit"],
  [503, undefined, "Service unavailable: Words", "overloaded"],
  [500, undefined, "Internal server error: Words", "server"],
  [403, undefined, expect.stringMatching(/^403 Words \(provider .*asked: http:/), "permission"],
])("status %i with the name %s", async (status, name, errorMessage, kind) => {
  const headers = { "x-amzn-requestid": "r1", ...(name === undefined ? {} : { "x-amzn-errortype": name }) };
  const pieces = [Buffer.from(JSON.stringify({ message: "Words" }))];
  expect(await responseTo({ status, headers, pieces })).toMatchObject({
    content: [],
    stopReason: "error",
    errorMessage,
    error: { kind, status, requestId: "r1" },
  });
});

test("a prompt that is too long is a context_overflow, not an invalid request", async () => {
  const pieces = [Buffer.from('{"message":"Input is too long for requested model."}')];
  const message = await responseTo({ status: 400, headers: { "x-amzn-errortype": "ValidationException" }, pieces });
  expect(message.errorMessage).toBe("Validation error: Input is too long for requested model.");
  expect(message.error?.kind).toBe("context_overflow");
});

test("a frame with a wrong checksum ends the response and keeps the content so far", async () => {
  const damaged = Buffer.from(text.frames[2] ?? "");
  damaged[damaged.length - 1] = (damaged.at(-1) ?? 0) ^ 1;
  const message = await responseTo({ pieces: [...BEGINNING, damaged] });
  expect(message).toMatchObject({ content: [{ text: "Hel" }], stopReason: "error", error: { kind: "protocol" } });
});

test("a frame with a length of 2 GB ends the response at once", async () => {
  const prelude = Buffer.alloc(12);
  prelude.writeUInt32BE(2 ** 31, 0);
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8);
  const message = await responseTo({ pieces: [...BEGINNING, prelude], after: "silence" });
  expect(message).toMatchObject({ content: [{ text: "Hel" }], stopReason: "error", error: { kind: "protocol" } });
});

test("a response that stops before messageStop is an error", async () => {
  expect(await responseTo({ pieces: BEGINNING })).toMatchObject({
    content: [{ text: "Hel" }],
    stopReason: "error",
    errorMessage: "Bedrock stream ended before messageStop",
  });
});

test("an error that echoes the request does not leak credentials", async () => {
  let sent = "";
  const fetch: typeof globalThis.fetch = async (_input, init) => {
    sent = JSON.stringify(Object.fromEntries(new Headers(init?.headers)));
    return new Response(JSON.stringify({ message: `Bad request: ${sent}` }), { status: 400 });
  };
  vi.stubEnv("AWS_SESSION_TOKEN", "session-token-canary");
  const model = bedrockConverseStream.model("https://proxy.example.com");
  const message = await stream(model, CONTEXT, { maxRetries: 0, fetch }).result();
  const signature = /Signature=([0-9a-f]+)/.exec(sent)?.[1] ?? "no signature";
  expect(sent).toContain(CANARIES.awsAccessKeyId);
  expect(message.errorMessage).toContain("Bad request");
  for (const secret of [CANARIES.awsAccessKeyId, CANARIES.awsSecretAccessKey, "session-token-canary", signature]) {
    expect(JSON.stringify(message)).not.toContain(secret);
  }
});
