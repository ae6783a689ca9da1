/** Maps statuses, error codes and error texts of vendors to kinds of errors. */
import type { ProviderErrorKind } from "../errors.js";
import { matchesOverflow } from "../utils/overflow.js";
import { ownValue } from "../utils/own-value.js";
import { maySayUsedUp, saysCreditUsedUp, saysCreditUsedUpAtAnyStatus, saysPlanUsedUp } from "../utils/used-up.js";

const KIND_BY_STATUS: Readonly<Record<number, ProviderErrorKind>> = {
  401: "auth",
  402: "quota",
  403: "permission",
  404: "not_found",
  408: "server",
  409: "server",
  425: "server",
  429: "rate_limit",
  503: "overloaded",
  529: "overloaded",
};

const VAGUE_KINDS: ReadonlySet<ProviderErrorKind> = new Set(["invalid_request", "server"]);

/** The known facts about a failure. */
export interface FailureSigns {
  /** Undefined for an error event without a status. */
  status: number | undefined;
  /** Codes and types, most specific first. */
  codes: readonly string[];
  /** The status and the provider's words. */
  text: string;
  provider: string;
  /** The wait that the provider named. */
  retryAfterMs?: number | undefined;
}

/** Returns the kind of a failure. */
export function classifyFailure(signs: FailureSigns): ProviderErrorKind {
  const { status, text, provider } = signs;
  // Payment is required: the text may speak of tokens, which are what the credit would buy.
  if (status === 402) return "quota";
  if (matchesOverflow(text, provider)) return "context_overflow";
  const byCodes = signs.codes.map((code) => kindOfCode(code, provider)).filter((kind) => kind !== undefined);
  const exact = byCodes.find((kind) => !VAGUE_KINDS.has(kind));
  if (byCodes.includes("quota") || saysQuota(signs, exact)) return "quota";
  if (exact) return exact;
  const byStatus = status === undefined ? undefined : kindOfStatus(status);
  const kind = byStatus ?? byCodes[0] ?? "server";
  // For a wrong key and an unknown model, several vendors return 400 and identify the failure only in the text.
  const mayHide = VAGUE_KINDS.has(kind) && (status === undefined || status < 500);
  return mayHide ? (kindOfText(text) ?? kind) : kind;
}

/** @param code what the provider's code says */
function saysQuota({ status, text, retryAfterMs }: FailureSigns, code: ProviderErrorKind | undefined): boolean {
  if (saysCreditUsedUpAtAnyStatus(text)) return true;
  if ((status !== undefined && status >= 500) || code === "content_filter") return false;
  if (saysCreditUsedUp(text)) return true;
  if (code === "rate_limit") return false;
  return saysPlanUsedUp(text) || (code === undefined && retryAfterMs === undefined && maySayUsedUp(text));
}

function kindOfStatus(status: number): ProviderErrorKind {
  return KIND_BY_STATUS[status] ?? (status >= 500 ? "server" : "invalid_request");
}

/** By code in lower case. From the API references of the vendors, 2026-11. */
const KIND_BY_CODE: Readonly<Record<string, ProviderErrorKind>> = {
  // Anthropic
  authentication_error: "auth",
  permission_error: "permission",
  billing_error: "quota",
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
  billing_not_active: "quota",
  model_not_found: "not_found",
  deploymentnotfound: "not_found",
  context_length_exceeded: "context_overflow",
  content_filter: "content_filter",
  content_policy_violation: "content_filter",
  rate_limit_exceeded: "rate_limit",
  insufficient_quota: "quota",
  billing_hard_limit_reached: "quota",
  // In place of insufficient_quota since 2026-08 (promptfoo#10855, hermes-agent#98929).
  credit_balance_exhausted: "quota",
  organization_spend_limit_exceeded: "quota",
  organization_usage_limit_exceeded: "quota",
  project_spend_limit_exceeded: "quota",
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
  quota_exhausted: "quota",
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
  exceeded_current_quota_error: "quota",
  rate_limit_reached_error: "rate_limit",
  engine_overloaded_error: "overloaded",
  // Alibaba Model Studio (DashScope)
  invalidapikey: "auth",
  arrearage: "quota",
  "allocationquota.freetieronly": "quota",
  modelnotfound: "not_found",
  datainspectionfailed: "content_filter",
  data_inspection_failed: "content_filter",
  throttling: "rate_limit",
  "throttling.ratequota": "rate_limit",
  "throttling.allocationquota": "rate_limit",
  // ChatGPT: the limit of a plan, and a plan without the service
  usage_limit_reached: "quota",
  usage_not_included: "quota",
  // OpenCode (packages/console/app/src/routes/zen/util/error.ts)
  creditserror: "quota",
  monthlylimiterror: "quota",
  userlimiterror: "quota",
  freeusagelimiterror: "quota",
  gousagelimiterror: "quota",
  subscriptionusagelimiterror: "quota",
  // OpenRouter, Vercel, LiteLLM, New API and other gateways
  budget_exceeded: "quota",
  insufficient_balance: "quota",
  insufficient_credits: "quota",
  insufficient_funds: "quota",
  insufficient_user_quota: "quota",
  payment_required: "quota",
  pre_consume_token_quota_failed: "quota",
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
  1113: "quota",
  1211: "not_found",
  1261: "context_overflow",
  1301: "content_filter",
  1302: "rate_limit",
  1303: "rate_limit",
  1304: "rate_limit",
  1305: "overloaded",
  1308: "quota",
  1309: "quota",
  1310: "quota",
};

/** Codes that have another meaning, or no meaning, at other vendors. */
const KIND_BY_VENDOR_CODE: Readonly<Record<string, Readonly<Record<string, ProviderErrorKind>>>> = {
  zai: ZAI_CODES,
  "zai-coding-cn": ZAI_CODES,
};

// Texts for failures that code and status do not identify, each with the vendors that use it. Repetitions are bounded
// because the texts are untrusted.

const WRONG_KEY_TEXTS: readonly RegExp[] = [
  /incorrect api key provided/i, // xAI, OpenAI
  /api key (?:not valid|not found|expired)/i, // Google
];

const UNKNOWN_MODEL_TEXTS: readonly RegExp[] = [
  /is not a valid model id/i, // OpenRouter
  /\binvalid model: /i, // Mistral
  /\bmodel not exist\b/i, // DeepSeek
  /\bsupported (?:api )?model names? (?:are|is) /i, // DeepSeek
  /\bmodel [`'"]?[^\s`'"]{1,200}[`'"]? (?:does not exist|was not found|not found)/i, // OpenAI, xAI, vLLM
  /\bmodel not found\b/i, // xAI
  /provided model identifier is invalid/i, // Amazon Bedrock
  /\bno such model\b/i, // Cloudflare
  /\brequested model (?:[`'"][^\s`'"]{1,200}[`'"] )?is not supported/i, // GitHub Copilot, Hugging Face
];

/** Returns the kind for an error code of a vendor; undefined for an unknown code. */
function kindOfCode(code: string, provider: string): ProviderErrorKind | undefined {
  const name = code.toLowerCase();
  return ownValue(ownValue(KIND_BY_VENDOR_CODE, provider) ?? {}, name) ?? ownValue(KIND_BY_CODE, name);
}

/** Returns the kind for an error text of a vendor; undefined for an unknown text. */
function kindOfText(text: string): ProviderErrorKind | undefined {
  if (WRONG_KEY_TEXTS.some((pattern) => pattern.test(text))) return "auth";
  return UNKNOWN_MODEL_TEXTS.some((pattern) => pattern.test(text)) ? "not_found" : undefined;
}
