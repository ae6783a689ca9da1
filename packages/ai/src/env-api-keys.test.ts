import { expect, test } from "vitest";
import { createEnvironment } from "./catalogue/env/environment.js";
import { findEnvKeys, getEnv, getEnvApiKey, getEnvCacheRetention, getEnvCredential } from "./env-api-keys.js";
import { getProviders } from "./models.js";

const ADC = { GOOGLE_CLOUD_PROJECT: "p", GOOGLE_CLOUD_LOCATION: "europe-west4" };

test("finds a key for each provider of the catalogue, except the one without environment variables", () => {
  const set = createEnvironment(new Proxy({}, { get: (_target, name) => `value of ${String(name)}` }));
  const keyless = getProviders().filter((provider) => findEnvKeys(provider, set) === undefined);
  expect(keyless).toEqual(["openai-codex"]);
  expect(getEnvApiKey("openai-codex", set)).toBeUndefined();
  expect(getEnvApiKey("groq", set)).toBe("value of GROQ_API_KEY");
});

test("checks Anthropic's variables in order, and sends the auth token as a bearer token", () => {
  const all = { ANTHROPIC_API_KEY: "key", ANTHROPIC_OAUTH_TOKEN: "oauth", ANTHROPIC_AUTH_TOKEN: "auth" };
  const { ANTHROPIC_AUTH_TOKEN: _auth, ...two } = all;
  const { ANTHROPIC_OAUTH_TOKEN: _oauth, ...one } = two;
  expect(getEnvCredential("anthropic", createEnvironment(all))).toEqual({
    apiKey: "auth",
    variable: "ANTHROPIC_AUTH_TOKEN",
    scheme: "bearer",
  });
  expect(getEnvCredential("anthropic", createEnvironment(two))).toEqual({
    apiKey: "oauth",
    variable: "ANTHROPIC_OAUTH_TOKEN",
    scheme: "api-key",
  });
  expect(getEnvApiKey("anthropic", createEnvironment(one))).toBe("key");
  expect(findEnvKeys("anthropic", createEnvironment(all))).toEqual([
    "ANTHROPIC_AUTH_TOKEN",
    "ANTHROPIC_OAUTH_TOKEN",
    "ANTHROPIC_API_KEY",
  ]);
});

test.each(["minimax", "vercel-ai-gateway", "cloudflare-ai-gateway"])(
  "does not use an Anthropic key for %s",
  (provider) => {
    const environment = createEnvironment({ ANTHROPIC_AUTH_TOKEN: "auth", ANTHROPIC_API_KEY: "key" });
    expect(getEnvApiKey(provider, environment)).toBeUndefined();
  },
);

test("checks GitHub Copilot's variables in order", () => {
  expect(getEnvApiKey("github-copilot", createEnvironment({ GITHUB_TOKEN: "c", GH_TOKEN: "b" }))).toBe("b");
  expect(getEnvApiKey("github-copilot", createEnvironment({ GITHUB_TOKEN: "c" }))).toBe("c");
});

test.each(["unknown", "__proto__", "constructor"])("finds no key for the unknown provider %j", (provider) => {
  expect(getEnvApiKey(provider, createEnvironment({}))).toBeUndefined();
  expect(findEnvKeys(provider, createEnvironment({}))).toBeUndefined();
});

test("trims values and treats empty ones as unset", () => {
  const environment = createEnvironment({ OPENAI_API_KEY: " sk-1\n", XAI_API_KEY: "", GROQ_API_KEY: " \n" });
  expect(getEnvApiKey("openai", environment)).toBe("sk-1");
  expect(getEnvApiKey("xai", environment)).toBeUndefined();
  expect(findEnvKeys("groq", environment)).toBeUndefined();
  expect(getEnv("constructor", environment)).toBeUndefined();
});

test.each([
  [{ AWS_PROFILE: "work" }],
  [{ AWS_ACCESS_KEY_ID: "id", AWS_SECRET_ACCESS_KEY: "secret" }],
  [{ AWS_BEARER_TOKEN_BEDROCK: "token" }],
  [{ AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: "/v2" }],
  [{ AWS_CONTAINER_CREDENTIALS_FULL_URI: "http://localhost" }],
  [{ AWS_WEB_IDENTITY_TOKEN_FILE: "/token" }],
])("the AWS chain works with %j", (variables) => {
  const environment = createEnvironment(variables);
  expect(getEnvApiKey("amazon-bedrock", environment)).toBe("<authenticated>");
  expect(getEnvCredential("amazon-bedrock", environment)?.scheme).toBe("ambient");
});

test("ignores half of an AWS key pair, and does not report chain credentials as keys", () => {
  expect(getEnvApiKey("amazon-bedrock", createEnvironment({ AWS_ACCESS_KEY_ID: "id" }))).toBeUndefined();
  expect(findEnvKeys("amazon-bedrock", createEnvironment({ AWS_PROFILE: "work" }))).toBeUndefined();
  const bearer = createEnvironment({ AWS_BEARER_TOKEN_BEDROCK: "token" });
  expect(findEnvKeys("amazon-bedrock", bearer)).toEqual(["AWS_BEARER_TOKEN_BEDROCK"]);
});

test.each([
  [{ ...ADC, GOOGLE_APPLICATION_CREDENTIALS: "/keys/adc.json", HOME: "/home/ada" }, "/keys/adc.json"],
  [{ ...ADC, HOME: "/home/ada" }, "/home/ada/.config/gcloud/application_default_credentials.json"],
  [{ ...ADC, APPDATA: "C:/Roaming", USERPROFILE: "C:/ada" }, "C:/Roaming/gcloud/application_default_credentials.json"],
  [{ ...ADC, USERPROFILE: "/ada" }, "/ada/.config/gcloud/application_default_credentials.json"],
  [
    { GCLOUD_PROJECT: "p", GOOGLE_CLOUD_LOCATION: "global", HOME: "/h" },
    "/h/.config/gcloud/application_default_credentials.json",
  ],
])("Vertex takes the default credentials of %j", (variables, file) => {
  const environment = createEnvironment(variables, (path) => path === file);
  expect(getEnvApiKey("google-vertex", environment)).toBe("<authenticated>");
  expect(findEnvKeys("google-vertex", environment)).toBeUndefined();
});

test.each([[{ GOOGLE_CLOUD_PROJECT: "p", HOME: "/h" }], [{ GOOGLE_CLOUD_LOCATION: "global", HOME: "/h" }], [ADC]])(
  "Vertex has no default credentials with %j alone",
  (variables) => {
    expect(
      getEnvApiKey(
        "google-vertex",
        createEnvironment(variables, () => true),
      ),
    ).toBeUndefined();
  },
);

test("finds Vertex's default credentials as soon as the file exists", () => {
  let exists = false;
  const environment = createEnvironment({ ...ADC, HOME: "/h" }, () => exists);
  expect(getEnvApiKey("google-vertex", environment)).toBeUndefined();
  exists = true;
  expect(getEnvApiKey("google-vertex", environment)).toBe("<authenticated>");
});

test("prefers an API key for Vertex to the default credentials", () => {
  const environment = createEnvironment({ ...ADC, HOME: "/h", GOOGLE_CLOUD_API_KEY: "key" }, () => true);
  expect(getEnvApiKey("google-vertex", environment)).toBe("key");
});

test.each([
  ["long", "long"],
  ["short", "short"],
  ["none", "short"],
  [undefined, "short"],
])("PI_CACHE_RETENTION=%s means %s", (value, expected) => {
  expect(getEnvCacheRetention(createEnvironment({ PI_CACHE_RETENTION: value }))).toBe(expected);
});
