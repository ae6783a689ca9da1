/** Requests through a client of the vendor's own SDK: its address, its credentials, our body. */
import Anthropic from "@anthropic-ai/sdk";
import { BedrockRuntimeClient } from "@aws-sdk/client-bedrock-runtime";
import { GoogleGenAI } from "@google/genai";
import OpenAI, { AzureOpenAI } from "openai";
import { afterAll, afterEach, beforeAll, beforeEach, describe, it, vi } from "vitest";
import { CLIENT_CASES, expectSentThrough } from "../../test/support/injected-clients.js";
import { TestServer } from "../../test/support/test-server.js";

const SDKS = { Anthropic, OpenAI, AzureOpenAI, GoogleGenAI, BedrockRuntimeClient };

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start();
});
afterAll(() => server.stop());
beforeEach(() => {
  // Keys of the environment belong to other requests.
  for (const name of ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "AWS_BEARER_TOKEN_BEDROCK"])
    vi.stubEnv(name, "key-of-the-environment");
  vi.stubEnv("AWS_REGION", "us-west-1");
  vi.stubEnv("GOOGLE_CLOUD_PROJECT", undefined);
});
afterEach(() => vi.unstubAllEnvs());

describe("a client of the vendor's SDK", () => {
  it.each(CLIENT_CASES)("gives a request its address and its credentials: $api", (one) =>
    expectSentThrough(SDKS, one, server),
  );
});
