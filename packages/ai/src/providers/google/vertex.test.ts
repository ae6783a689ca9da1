import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { serveResponse } from "../../../test/support/local-response.js";
import { createEnvironment } from "../../catalogue/env/environment.js";
import { createApiProvider } from "../../driver/create-api-provider.js";
import type { Context } from "../../types/context.js";
import type { Model } from "../../types/model.js";
import { buildVertexRequest, type GoogleVertexOptions, googleVertexAdapter } from "./vertex.js";

const { stream } = createApiProvider(googleVertexAdapter);

const MODEL: Model<"google-vertex"> = {
  id: "gemini-2.5-flash",
  name: "Flash",
  api: "google-vertex",
  provider: "google-vertex",
  baseUrl: "https://{location}-aiplatform.googleapis.com",
  reasoning: false,
  input: ["text"],
  cost: { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 },
  contextWindow: 1000,
  maxTokens: 100,
};
const HELLO: Context = { messages: [{ role: "user", content: "Hello", timestamp: 1 }] };
const GOOD = 'data: {"candidates":[{"content":{"parts":[{"text":"ok"}]},"finishReason":"STOP"}]}\n\n';
const SSE = { "content-type": "text/event-stream" };
const PLACE = { GOOGLE_CLOUD_PROJECT: "p1", GOOGLE_CLOUD_LOCATION: "us-east5" };

afterEach(() => {
  vi.unstubAllEnvs();
});

function build(
  given: {
    apiKey?: string;
    options?: GoogleVertexOptions;
    model?: Partial<Model>;
    variables?: Record<string, string>;
  } = {},
): { url: string; apiKey: string | undefined } {
  const { apiKey = "", options = {}, variables = PLACE } = given;
  const model = { ...MODEL, ...given.model };
  const call = { model, context: HELLO, options, apiKey, keyIsBearer: false };
  const request = buildVertexRequest(call, createEnvironment(variables));
  return { url: `${request.baseUrl}${request.path}`, apiKey: request.apiKey };
}

describe("the address", () => {
  const RESOURCE = "publishers/google/models/gemini-2.5-flash:streamGenerateContent";

  test("a key needs neither project nor location", () => {
    expect(build({ apiKey: "key-1", variables: {} })).toEqual({
      url: `https://aiplatform.googleapis.com/v1/${RESOURCE}`,
      apiKey: "key-1",
    });
  });

  test.each(["", "<authenticated>", "<anything>", "gcp-vertex-credentials"])(
    "the placeholder %j is not a key",
    (apiKey) => {
      expect(build({ apiKey })).toEqual({
        url: `https://us-east5-aiplatform.googleapis.com/v1/projects/p1/locations/us-east5/${RESOURCE}`,
        apiKey: undefined,
      });
    },
  );

  test.each([
    ["global", "https://aiplatform.googleapis.com"],
    ["eu", "https://aiplatform.eu.rep.googleapis.com"],
    ["europe-west4", "https://europe-west4-aiplatform.googleapis.com"],
  ])("location %s", (location, host) => {
    const { url } = build({ options: { location, project: "p2" } });
    expect(url).toBe(`${host}/v1/projects/p2/locations/${location}/${RESOURCE}`);
  });

  test.each([
    ["http://gateway/x/", "http://gateway/x/v1/projects/p1/locations/us-east5/"],
    ["http://gateway/v1beta1", "http://gateway/v1beta1/projects/p1/locations/us-east5/"],
    ["http://gateway/v1/projects/p9/locations/l9", "http://gateway/v1/projects/p9/locations/l9/"],
  ])("custom base URL: %s", (baseUrl, start) => {
    expect(build({ model: { baseUrl } }).url).toBe(`${start}${RESOURCE}`);
  });

  test.each([
    ["meta/llama-4", "publishers/meta/models/llama-4"],
    ["publishers/x/models/y", "publishers/x/models/y"],
  ])("model %s", (id, resource) => {
    expect(build({ apiKey: "key-1", model: { id } }).url).toContain(`/v1/${resource}:`);
  });

  test.each([
    [{ GOOGLE_CLOUD_LOCATION: "x" }, "GOOGLE_CLOUD_PROJECT"],
    [{ GCLOUD_PROJECT: "x" }, "GOOGLE_CLOUD_LOCATION"],
  ])("an error names the missing setting: %j", (variables, name) => {
    expect(() => build({ variables })).toThrow(name);
  });
});

test("a key is sent in the key header, to the model's base URL", async () => {
  await using server = await serveResponse({ headers: SSE, body: GOOD });
  const { content } = await stream({ ...MODEL, baseUrl: server.url }, HELLO, { apiKey: "key-1" }).result();
  expect(content).toEqual([{ type: "text", text: "ok" }]);
  const [request] = server.requests;
  expect(request?.path).toBe("/v1/publishers/google/models/gemini-2.5-flash:streamGenerateContent?alt=sse");
  expect(request?.headers["x-goog-api-key"]).toBe("key-1");
});

test("the caller's Authorization header is sufficient", async () => {
  await using server = await serveResponse({ headers: SSE, body: GOOD });
  const options = { project: "p1", location: "l1", headers: { Authorization: "Bearer mine" } };
  vi.stubEnv("GOOGLE_CLOUD_API_KEY", undefined);
  const { stopReason } = await stream({ ...MODEL, baseUrl: server.url }, HELLO, options).result();
  expect(stopReason).toBe("stop");
  expect(server.requests[0]?.headers.authorization).toBe("Bearer mine");
  expect(server.requests[0]?.headers).not.toHaveProperty("x-goog-api-key");
});

describe("application default credentials", () => {
  /** Credentials of another identity provider: a token in a file, exchanged at a custom URL. */
  async function withCredentials(tokenUrl: string, use: () => Promise<void>): Promise<void> {
    const folder = await mkdtemp(join(tmpdir(), "vertex-"));
    const subject = join(folder, "subject-token");
    const file = join(folder, "credentials.json");
    await writeFile(subject, "subject");
    await writeFile(
      file,
      JSON.stringify({
        type: "external_account",
        audience: "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/q",
        subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
        token_url: tokenUrl,
        credential_source: { file: subject },
      }),
    );
    vi.stubEnv("GOOGLE_APPLICATION_CREDENTIALS", file);
    vi.stubEnv("GOOGLE_CLOUD_API_KEY", undefined);
    try {
      await use();
    } finally {
      await rm(folder, { recursive: true });
    }
  }

  const OPTIONS = { project: "p1", location: "l1", maxRetries: 0 };

  test("are exchanged once for a token that every request sends and no text contains", async () => {
    const token = { access_token: "access-token-1", expires_in: 3600, token_type: "Bearer" };
    await using tokens = await serveForm(JSON.stringify(token));
    await using server = await serveResponse({ status: 403, body: '{"error":{"message":"no: access-token-1"}}' });
    await withCredentials(tokens.url, async () => {
      for (let call = 0; call < 2; call++) {
        const { errorMessage } = await stream({ ...MODEL, baseUrl: server.url }, HELLO, OPTIONS).result();
        expect(errorMessage).toMatch(/^403 no: \[redacted\] \(provider google-vertex, /);
        expect(errorMessage).not.toContain("access-token-1");
      }
    });
    expect(tokens.count).toBe(1);
    const [request] = server.requests;
    expect(request?.headers.authorization).toBe("Bearer access-token-1");
    expect(request?.path).toBe(
      "/v1/projects/p1/locations/l1/publishers/google/models/gemini-2.5-flash:streamGenerateContent?alt=sse",
    );
  });

  test("fail with an explanation if the server rejects them", async () => {
    await using tokens = await serveForm('{"error":"invalid_grant","error_description":"expired"}', 400);
    await withCredentials(tokens.url, async () => {
      const { errorMessage, error } = await stream(
        { ...MODEL, baseUrl: "http://127.0.0.1:1" },
        HELLO,
        OPTIONS,
      ).result();
      expect(errorMessage).toContain("Google application default credentials");
      expect(errorMessage).toContain("invalid_grant");
      expect(error?.kind).toBe("auth");
    });
  });

  test("fail with an explanation if they are missing", async () => {
    vi.stubEnv("GOOGLE_APPLICATION_CREDENTIALS", join(tmpdir(), "no-such-file.json"));
    vi.stubEnv("GOOGLE_CLOUD_API_KEY", undefined);
    const { errorMessage, error } = await stream({ ...MODEL, baseUrl: "http://127.0.0.1:1" }, HELLO, OPTIONS).result();
    expect(errorMessage).toContain("Google application default credentials");
    expect(error?.kind).toBe("auth_missing");
  });
});

interface TokenServer extends AsyncDisposable {
  url: string;
  readonly count: number;
}

/** A token endpoint. Its requests are forms, not JSON. */
async function serveForm(body: string, status = 200): Promise<TokenServer> {
  let count = 0;
  const server = http.createServer((request, response) => {
    count++;
    request.resume();
    response.writeHead(status, { "content-type": "application/json" });
    response.end(body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`, // a TCP server's address is an object
    get count() {
      return count;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
