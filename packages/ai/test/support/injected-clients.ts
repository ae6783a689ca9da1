/** Clients of the vendors' own SDKs, as a program creates them, and what is sent with them. */
import type Anthropic from "@anthropic-ai/sdk";
import type { BedrockRuntimeClient } from "@aws-sdk/client-bedrock-runtime";
import type { GoogleGenAI } from "@google/genai";
import type OpenAI from "openai";
import type { AzureOpenAI } from "openai";
import { complete, type Model } from "pi-ai";
import { expect } from "vitest";
import type { TestServer } from "./test-server.js";

/** The classes of the SDKs, in whatever version. */
export interface Sdks {
  Anthropic: typeof Anthropic;
  OpenAI: typeof OpenAI;
  AzureOpenAI: typeof AzureOpenAI;
  GoogleGenAI: typeof GoogleGenAI;
  BedrockRuntimeClient: typeof BedrockRuntimeClient;
}

const MODEL: Model = {
  id: "m-1",
  name: "M",
  api: "x",
  provider: "x",
  baseUrl: "http://never-asked.test",
  reasoning: false,
  input: ["text"],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 1000,
  maxTokens: 100,
};
const KEY = "key-of-the-client";

export interface ClientCase {
  api: string;
  client: (sdks: Sdks, url: string) => object;
  path: string | RegExp;
  /** The header with the credential. */
  credential: [name: string, value: RegExp];
  bodyHas: string;
}

export const CLIENT_CASES: readonly ClientCase[] = [
  {
    api: "anthropic-messages",
    client: ({ Anthropic }, baseURL) => new Anthropic({ apiKey: KEY, baseURL }),
    path: "/v1/messages",
    credential: ["authorization", /^Bearer key-of-the-client$/],
    bodyHas: '"max_tokens":',
  },
  {
    api: "openai-completions",
    client: ({ OpenAI }, baseURL) => new OpenAI({ apiKey: KEY, baseURL }),
    path: "/chat/completions",
    credential: ["authorization", /^Bearer key-of-the-client$/],
    bodyHas: '"messages":',
  },
  {
    api: "openai-responses",
    client: ({ OpenAI }, baseURL) => new OpenAI({ apiKey: KEY, baseURL }),
    path: "/responses",
    credential: ["authorization", /^Bearer key-of-the-client$/],
    bodyHas: '"input":',
  },
  {
    api: "azure-openai-responses",
    client: ({ AzureOpenAI }, baseURL) => new AzureOpenAI({ apiKey: KEY, baseURL, apiVersion: "preview" }),
    path: /^\/responses/,
    credential: ["api-key", /^key-of-the-client$/],
    bodyHas: '"input":',
  },
  {
    api: "google-generative-ai",
    client: ({ GoogleGenAI }, baseUrl) =>
      new GoogleGenAI({ apiKey: KEY, apiVersion: "v1beta", httpOptions: { baseUrl } }),
    path: "/v1beta/models/m-1:streamGenerateContent?alt=sse",
    credential: ["x-goog-api-key", /^key-of-the-client$/],
    bodyHas: '"contents":[{"role":"user","parts":[{"text":"Hi"}]}]',
  },
  {
    api: "google-vertex",
    client: ({ GoogleGenAI }, baseUrl) => new GoogleGenAI({ vertexai: true, apiKey: KEY, httpOptions: { baseUrl } }),
    path: "/v1beta1/publishers/google/models/m-1:streamGenerateContent?alt=sse",
    credential: ["x-goog-api-key", /^key-of-the-client$/],
    bodyHas: '"contents":[{"role":"user","parts":[{"text":"Hi"}]}]',
  },
  {
    api: "bedrock-converse-stream",
    client: ({ BedrockRuntimeClient }, endpoint) =>
      new BedrockRuntimeClient({
        region: "eu-north-1",
        endpoint,
        credentials: { accessKeyId: "AKIDOFTHECLIENT", secretAccessKey: "secret-of-the-client" },
        authSchemePreference: ["sigv4"],
      }),
    path: "/model/m-1/converse-stream",
    credential: [
      "authorization",
      /^AWS4-HMAC-SHA256 Credential=AKIDOFTHECLIENT\/\d+\/eu-north-1\/bedrock\/aws4_request/,
    ],
    bodyHas: '"messages":[{"role":"user","content":[{"text":"Hi"}]}]',
  },
];

/** Sends a request through a client, and checks its address, its credential and its body. */
export async function expectSentThrough(
  sdks: Sdks,
  { api, client, ...expected }: ClientCase,
  server: TestServer,
): Promise<void> {
  const exchange = server.expect({ status: 418, pieces: [Buffer.from("no")] });
  const options = { client: client(sdks, exchange.url), maxRetries: 0 };
  const message = await complete({ ...MODEL, api }, "Hi", options);
  expect(message.errorMessage).toMatch(/418|no/);
  const [request] = exchange.requests;
  if (typeof expected.path === "string") expect(request?.path).toBe(expected.path);
  else expect(request?.path).toMatch(expected.path);
  const [name, value] = expected.credential;
  expect(request?.headers[name]).toMatch(value);
  expect(request?.body).toContain(expected.bodyHas);
  expect(JSON.stringify(request)).not.toContain("key-of-the-environment");
  expect(exchange.requests).toHaveLength(1);
}
