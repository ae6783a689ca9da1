/** Maps the error codes and texts of vendors to kinds of errors. */
import type { ProviderErrorKind } from "../errors.js";

/** By code in lower case. From the API references of the vendors, 2026-11. */
const KIND_BY_CODE: Readonly<Record<string, ProviderErrorKind>> = {
  // Anthropic
  authentication_error: "auth",
  permission_error: "permission",
  billing_error: "permission",
  not_found_error: "not_found",
  invalid_request_error: "invalid_request",
  request_too_large: "context_overflow",
  rate_limit_error: "rate_limit",
  overloaded_error: "overloaded",
  timeout_error: "server",
  api_error: "server",
  // OpenAI and Azure
  invalid_api_key: "auth",
  account_deactivated: "permission",
  billing_not_active: "permission",
  model_not_found: "not_found",
  deploymentnotfound: "not_found",
  context_length_exceeded: "context_overflow",
  content_filter: "content_filter",
  content_policy_violation: "content_filter",
  rate_limit_exceeded: "rate_limit",
  insufficient_quota: "rate_limit",
  server_error: "server",
  internal_server_error: "server",
  // GitHub Copilot and GitHub Models, Hugging Face, Together
  model_max_prompt_tokens_exceeded: "context_overflow",
  tokens_limit_reached: "context_overflow",
  model_not_supported: "not_found",
  model_not_available: "not_found",
  // Perplexity
  too_many_prompt_tokens: "context_overflow",
  // llama.cpp
  exceed_context_size_error: "context_overflow",
  // Mistral
  invalid_model: "not_found",
  // Google (google.rpc.Code, ErrorInfo)
  api_key_invalid: "auth",
  unauthenticated: "auth",
  permission_denied: "permission",
  not_found: "not_found",
  resource_exhausted: "rate_limit",
  deadline_exceeded: "server",
  internal: "server",
  invalid_argument: "invalid_request",
  failed_precondition: "invalid_request",
  overloaded: "overloaded",
  unavailable: "overloaded",
  // Moonshot
  invalid_authentication_error: "auth",
  incorrect_api_key_error: "auth",
  permission_denied_error: "permission",
  resource_not_found_error: "not_found",
  exceeded_current_quota_error: "rate_limit",
  rate_limit_reached_error: "rate_limit",
  engine_overloaded_error: "overloaded",
  // Alibaba Model Studio (DashScope)
  invalidapikey: "auth",
  arrearage: "permission",
  modelnotfound: "not_found",
  datainspectionfailed: "content_filter",
  data_inspection_failed: "content_filter",
  throttling: "rate_limit",
  "throttling.ratequota": "rate_limit",
  "throttling.allocationquota": "rate_limit",
  // Amazon Bedrock
  accessdeniedexception: "permission",
  expiredtokenexception: "auth",
  internalserverexception: "server",
  invalidsignatureexception: "auth",
  modelnotreadyexception: "overloaded",
  modelstreamerrorexception: "server",
  modeltimeoutexception: "server",
  resourcenotfoundexception: "not_found",
  servicequotaexceededexception: "rate_limit",
  serviceunavailableexception: "overloaded",
  throttlingexception: "rate_limit",
  unrecognizedclientexception: "auth",
  validationexception: "invalid_request",
};

/** The numeric codes of Z.ai (docs.z.ai, "Errors", 2026-11). */
const ZAI_CODES: Readonly<Record<string, ProviderErrorKind>> = {
  1000: "auth",
  1001: "auth",
  1002: "auth",
  1003: "auth",
  1004: "auth",
  1113: "permission",
  1211: "not_found",
  1261: "context_overflow",
  1301: "content_filter",
  1302: "rate_limit",
  1303: "rate_limit",
  1304: "rate_limit",
  1305: "overloaded",
  1308: "rate_limit",
};

/** Codes that have another meaning, or no meaning, at other vendors. */
const KIND_BY_VENDOR_CODE: Readonly<Record<string, Readonly<Record<string, ProviderErrorKind>>>> = {
  zai: ZAI_CODES,
  "zai-coding-cn": ZAI_CODES,
};

interface FailureText {
  /** The vendors that use this text. */
  vendor: string;
  pattern: RegExp;
  kind: ProviderErrorKind;
}

/** For failures that code and status do not identify. Repetitions are bounded because the texts are untrusted. */
const FAILURE_TEXTS: readonly FailureText[] = [
  { vendor: "xAI, OpenAI", pattern: /incorrect api key provided/i, kind: "auth" },
  { vendor: "Google", pattern: /api key (?:not valid|not found|expired)/i, kind: "auth" },
  { vendor: "OpenRouter", pattern: /is not a valid model id/i, kind: "not_found" },
  { vendor: "Mistral", pattern: /\binvalid model: /i, kind: "not_found" },
  { vendor: "DeepSeek", pattern: /\bmodel not exist\b/i, kind: "not_found" },
  { vendor: "DeepSeek", pattern: /\bsupported (?:api )?model names? (?:are|is) /i, kind: "not_found" },
  {
    vendor: "OpenAI, xAI, vLLM",
    pattern: /\bmodel [`'"]?[^\s`'"]{1,200}[`'"]? (?:does not exist|was not found|not found)/i,
    kind: "not_found",
  },
  { vendor: "xAI", pattern: /\bmodel not found\b/i, kind: "not_found" },
  { vendor: "Amazon Bedrock", pattern: /provided model identifier is invalid/i, kind: "not_found" },
  { vendor: "Cloudflare", pattern: /\bno such model\b/i, kind: "not_found" },
  {
    vendor: "GitHub Copilot, Hugging Face",
    pattern: /\brequested model (?:[`'"][^\s`'"]{1,200}[`'"] )?is not supported/i,
    kind: "not_found",
  },
];

/** Returns the kind for an error code of a vendor; undefined for an unknown code. */
export function kindOfCode(code: string, provider: string): ProviderErrorKind | undefined {
  const name = code.toLowerCase();
  const own = Object.hasOwn(KIND_BY_VENDOR_CODE, provider) ? KIND_BY_VENDOR_CODE[provider] : undefined;
  if (own && Object.hasOwn(own, name)) return own[name];
  return Object.hasOwn(KIND_BY_CODE, name) ? KIND_BY_CODE[name] : undefined;
}

/** Returns the kind for an error text of a vendor; undefined for an unknown text. */
export function kindOfText(text: string): ProviderErrorKind | undefined {
  return FAILURE_TEXTS.find(({ pattern }) => pattern.test(text))?.kind;
}
