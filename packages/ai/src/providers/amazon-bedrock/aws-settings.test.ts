import { expect, test } from "vitest";
import { createEnvironment } from "../../catalogue/env/environment.js";
import type { Model } from "../../types/model.js";
import { resolveAwsSettings } from "./aws-settings.js";
import type { BedrockOptions } from "./options.js";

const US = "https://bedrock-runtime.us-east-1.amazonaws.com";
const EU = "https://bedrock-runtime.eu-central-1.amazonaws.com";
const ARN = "arn:aws:bedrock:eu-west-3:123456789012:application-inference-profile/abc";

function resolve(
  {
    id = "anthropic.claude",
    baseUrl = US,
    apiKey = "",
    ...options
  }: BedrockOptions & { id?: string; baseUrl?: string },
  variables: Record<string, string> = {},
): ReturnType<typeof resolveAwsSettings> {
  const model: Model = {
    id,
    name: id,
    api: "bedrock-converse-stream",
    provider: "amazon-bedrock",
    baseUrl,
    reasoning: false,
    input: ["text"],
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    contextWindow: 1,
    maxTokens: 1,
  };
  return resolveAwsSettings({ model, options, apiKey }, createEnvironment(variables));
}

test.each<[Parameters<typeof resolve>[0], Record<string, string>, string | undefined, string | undefined]>([
  // A configured region overrides the one in the catalogue's base URL.
  [{ region: "ap-south-1" }, { AWS_REGION: "us-west-2" }, "ap-south-1", undefined],
  [{}, { AWS_REGION: "us-west-2", AWS_DEFAULT_REGION: "eu-west-1" }, "us-west-2", undefined],
  [{}, { AWS_DEFAULT_REGION: "eu-west-1" }, "eu-west-1", undefined],
  [{ id: ARN }, { AWS_REGION: "us-west-2" }, "eu-west-3", undefined],
  [{ id: ARN, region: "us-east-2" }, {}, "us-east-2", undefined],
  [{ id: "arn:aws-us-gov:bedrock:us-gov-west-1:1:x/y" }, {}, "us-gov-west-1", undefined],
  // No region is configured, so the request uses the model's base URL.
  [{}, {}, "us-east-1", US],
  [{ baseUrl: EU }, {}, "eu-central-1", EU],
  [
    { baseUrl: "https://bedrock-runtime-fips.us-gov-west-1.amazonaws.com/" },
    {},
    "us-gov-west-1",
    "https://bedrock-runtime-fips.us-gov-west-1.amazonaws.com/",
  ],
  // A profile has its own region, which the SDK reads.
  [{ profile: "work" }, {}, undefined, undefined],
  [{ baseUrl: EU }, { AWS_PROFILE: "work" }, undefined, undefined],
  [{ profile: "work" }, { AWS_REGION: "us-west-2" }, "us-west-2", undefined],
  // A base URL that is not Amazon's is always used.
  [
    { baseUrl: "https://proxy.example.com/bedrock" },
    { AWS_REGION: "us-west-2" },
    "us-west-2",
    "https://proxy.example.com/bedrock",
  ],
  [{ baseUrl: "http://127.0.0.1:1" }, {}, "us-east-1", "http://127.0.0.1:1"],
  [{ baseUrl: "" }, {}, "us-east-1", undefined],
  [
    { baseUrl: "https://bedrock-runtime.us-east-1.amazonaws.com.example.com" },
    { AWS_REGION: "us-west-2" },
    "us-west-2",
    "https://bedrock-runtime.us-east-1.amazonaws.com.example.com",
  ],
])("%j with %j goes to %s at %s", (options, variables, region, endpoint) => {
  expect(resolve(options, variables)).toMatchObject({ region, endpoint });
});

const credentials = { accessKeyId: "id", secretAccessKey: "secret" };
const TOKEN = { AWS_BEARER_TOKEN_BEDROCK: "env-token" };

test.each<[BedrockOptions, Record<string, string>, object]>([
  [{}, {}, { bearerToken: undefined, credentials: undefined }],
  [{ credentials }, {}, { bearerToken: undefined, credentials }],
  [{}, TOKEN, { bearerToken: "env-token" }],
  [{ apiKey: "key" }, TOKEN, { bearerToken: "key" }],
  [{ apiKey: "key", bearerToken: "token" }, TOKEN, { bearerToken: "token" }],
  // `getEnvApiKey` returns a placeholder if the SDK finds credentials itself.
  [{ apiKey: "<authenticated>" }, {}, { bearerToken: undefined }],
  [{ apiKey: "<authenticated>" }, TOKEN, { bearerToken: "env-token" }],
  [
    { bearerToken: "token" },
    { ...TOKEN, AWS_BEDROCK_SKIP_AUTH: "1" },
    { bearerToken: undefined, credentials: { accessKeyId: "placeholder" } },
  ],
  [{ profile: "work" }, {}, { profile: "work" }],
])("credentials of %j with %j", (options, variables, expected) => {
  const settings = resolve(options, variables);
  expect({ bearerToken: undefined, ...settings }).toMatchObject(expected);
});
