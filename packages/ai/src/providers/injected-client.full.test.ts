/** The same with the oldest SDKs that package.json takes as peers. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { installPeers } from "../../../../test/support/install-peers.js";
import { CLIENT_CASES, expectSentThrough, type Sdks } from "../../test/support/injected-clients.js";
import { TestServer } from "../../test/support/test-server.js";

const OLDEST = {
  "@anthropic-ai/sdk": "1.0.0",
  "@aws-sdk/client-bedrock-runtime": "3.803.0",
  "@google/genai": "3.1.0",
  openai: "5.0.0",
};
const { folder, without } = await installPeers("oldest-sdks", OLDEST);

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

it("are the lower ends of the peers' ranges", () => {
  const manifest = JSON.parse(readFileSync(join(import.meta.dirname, "../../package.json"), "utf8"));
  const ranges = Object.entries(OLDEST).map(([name, version]) => [name, `>=${version}`]);
  expect(manifest.peerDependencies).toEqual(Object.fromEntries(ranges));
  expect(Object.keys(manifest.peerDependenciesMeta).sort()).toEqual(Object.keys(OLDEST).sort());
});

describe.skipIf(without)(`a client of an old SDK${without}`, () => {
  it.each(CLIENT_CASES)("gives a request its address and its credentials: $api", async (one) => {
    const load = createRequire(join(folder, "package.json"));
    const sdks: Sdks = {
      ...load("@anthropic-ai/sdk"),
      ...load("openai"),
      ...load("@google/genai"),
      ...load("@aws-sdk/client-bedrock-runtime"),
    };
    await expectSentThrough(sdks, one, server);
  });
});
