/** Options of Bedrock's ConverseStream, and simple options in its terms. */
import { resolveBedrockFlags } from "../../catalogue/compat/index.js";
import { clampThinkingLevel } from "../../catalogue/index.js";
import type { AwsCredentials, BedrockClient } from "../../transport/sdk/aws.js";
import type { Model, ThinkingBudgets, ThinkingLevel } from "../../types/model.js";
import type { SimpleStreamOptions, StreamOptions } from "../../types/options.js";
import { sharedOptions } from "../simple-options.js";
import { budgetStep, fitThinkingBudget } from "../thinking.js";

/** Whether thinking comes back as a summary or not at all. */
export type BedrockThinkingDisplay = "summarized" | "omitted";

/**
 * The credentials are the first that exist of: `bearerToken`, `apiKey` (a Bedrock API key), the environment variable
 * `AWS_BEARER_TOKEN_BEDROCK`, `credentials`, and those that the AWS SDK finds (environment, `profile` with SSO and roles,
 * web identity, container, instance). `AWS_BEDROCK_SKIP_AUTH=1` sends placeholders, for a proxy that signs by itself.
 *
 * `headers` are added to the signed request, except `authorization` and those that begin with `x-amz-`,
 * which only a request with placeholders takes.
 *
 * Requests are HTTP/1.1 and go through the proxy of `HTTPS_PROXY` or `HTTP_PROXY`, with the exceptions of `NO_PROXY`,
 * unless the options bring a `fetch`.
 */
export interface BedrockOptions extends StreamOptions {
  /**
   * Default: the first that exists of the region in the model's ARN, `AWS_REGION`, `AWS_DEFAULT_REGION`, the profile's
   * region, the region in the model's base URL, and `us-east-1`.
   */
  region?: string | undefined;
  /** A profile of the shared AWS configuration files. Default: `AWS_PROFILE`. */
  profile?: string | undefined;
  /** A Bedrock API key, sent as `Authorization: Bearer`. */
  bearerToken?: string | undefined;
  /** A key pair, or a function that returns one. The function is called for each request. */
  credentials?: (AwsCredentials | (() => Promise<AwsCredentials>)) | undefined;
  /**
   * A client of `@aws-sdk/client-bedrock-runtime`, whose region, endpoint and credentials the request takes, instead of the options above.
   * It is sent through `fetch`, not by the client.
   */
  client?: BedrockClient | undefined;
  /** `none` omits the tools, because the API has no such choice. */
  toolChoice?: "auto" | "any" | "none" | { type: "tool"; name: string } | (object & {}) | (string & {}) | undefined;
  /** Default: the request has no thinking fields. Claude and OpenAI's models use it. */
  reasoning?: ThinkingLevel | undefined;
  /** Tokens for thinking by level, on models that take a budget. */
  thinkingBudgets?: ThinkingBudgets | undefined;
  /** Request thinking between tool calls, on models where it is optional. Default true. */
  interleavedThinking?: boolean | undefined;
  /** Default `"summarized"`. */
  thinkingDisplay?: BedrockThinkingDisplay | undefined;
  /** Tags for invocation logs and cost allocation. */
  requestMetadata?: Record<string, string> | undefined;
}

export function simpleBedrockOptions(model: Model, options: SimpleStreamOptions): BedrockOptions {
  const { toolChoice } = options;
  const base: BedrockOptions = {
    ...sharedOptions(options),
    ...(toolChoice === undefined ? {} : { toolChoice: toolChoice === "required" ? "any" : toolChoice }),
  };
  const level = options.reasoning && clampThinkingLevel(model, options.reasoning);
  const { thinking } = resolveBedrockFlags(model);
  if (!level || level === "off") return base;
  // The request names a level that it has no field for.
  if (thinking !== "budget") return { ...base, reasoning: level };
  const { maxTokens, budget } = fitThinkingBudget(model, level, options);
  if (budget === 0) return base;
  const limit = maxTokens === undefined ? {} : { maxTokens };
  return { ...base, ...limit, reasoning: level, thinkingBudgets: { [budgetStep(level)]: budget } };
}
