/**
 * Texts by which vendors say that credit, a budget or a plan is used up. A wait of seconds does not help then. Most vendors
 * send a code or the status 402 as well; these texts are for those that do not, and for stored messages.
 */

/**
 * Texts about money, each with the vendors that use it: from their documents and from errors in public issues, 2026-11.
 * Repetitions are bounded, because the texts are untrusted.
 */
const CREDIT_TEXTS: readonly RegExp[] = [
  // OpenAI, OpenRouter, DeepSeek, z.ai, MiniMax, OpenCode, New API
  /insufficient[_ ](?:user[_ ])?(?:quota|funds|(?:account |paid )?balance|credits?)/i,
  /(?:available|credit) balance/i, // Anthropic
  /(?:balance|quota|credit limit|credits?) (?:is|are) (?:insufficient|not enough|too low)/i, // SiliconFlow, New API
  /not enough (?:quota|funds|balance|credits?)/i, // Gateways
  /\bno (?:more )?credits? (?:remaining|left|available)/i, // OpenAI
  /out of (?:budget|credits?|funds)\b/i, // LiteLLM, gateways
  // Google, xAI, GitHub Copilot
  /\bcredits? (?:balance )?(?:(?:is|are|has been|have been|was|were) )?(?:depleted|exhausted|used up|exceeded)/i,
  /used all (?:of )?(?:your |its |the )?(?:available )?credits/i, // xAI
  /exceeded (?:your|the) (?:monthly )?(?:included )?credits/i, // Hugging Face
  /requires more credits/i, // OpenRouter
  /\b(?:add|buy|purchase) (?:more )?credits\b/i, // Gateways
  /billing[_ ](?:hard[_ ])?limit/i, // OpenAI
  /spend(?:ing)?[_ ](?:limit|cap)\b/i, // xAI, Fireworks, Anthropic, Google
  /\bbudget has been exceeded|exceeded ?budget|crossed budget|key budget limit exceeded/i, // LiteLLM, OpenRouter
  /payment required/i, // Gateways
  /\b(?:please (?:recharge|top[ -]?up)|(?:recharge|top[ -]?up) your)\b/i, // Moonshot, DeepSeek
  /\bkey limit exceeded\b/i, // OpenRouter (MCPJam/inspector#1287, RooCodeInc/Roo-Code#515)
  /\b(?:out of|draw from your) extra usage\b/i, // Anthropic (anthropics/claude-code#45046, #45048)
  // Cloudflare (developers.cloudflare.com, "Workers AI errors", code 4006; diegosouzapw/OmniRoute#6980)
  /daily free allocation/i,
  /\bdoesn.t have any credits\b/i, // xAI
  /余额不足|(?:额度|余量)(?:不足|已?(?:用尽|用完|耗尽))|欠费/, // DashScope, New API, Hunyuan, in Chinese
];

/** Texts about a plan or a quota. A rate limit may have the same words. */
const PLAN_TEXTS: readonly RegExp[] = [
  // Anthropic, OpenCode (GoUsageLimitError), ChatGPT (usage_limit_reached, usage_not_included)
  /usage[_ ]?(?:limit|not[_ ]included)/i,
  /quota (?:is |has been )?(?:exhausted|used up)/i, // Google
  // GitHub Copilot, DashScope, Qianfan (github/app#3166; QwenLM/qwen-code#1742)
  /exceeded your monthly quota|\b(?:free|hour|week|month) (?:allocated )?quota exceeded/i,
  /trial key, which is limited to [\d,]{1,12} API calls \/ month/i, // Cohere
  /\bfree trial quota\b.{0,80}\bconsumed\b/i, // Volcengine
];

/** MiniMax says it with the status of a broken server (MiniMax-AI/MiniMax-M2#62). */
const USED_UP_AT_ANY_STATUS = /insufficient balance \(1008\)/i;

/** A limit of a short time is a rate limit, whatever it is called. */
const SHORT_TIME = /\bper[ _-]?(?:minute|second)|\b[rt]p[ms]\b/i;

/** Whether a text says that credit or a budget is used up. */
export function saysCreditUsedUp(text: string): boolean {
  return includesOne(CREDIT_TEXTS, text);
}

/** Whether a text says that credit is used up although its status is that of a broken server. */
export function saysCreditUsedUpAtAnyStatus(text: string): boolean {
  return USED_UP_AT_ANY_STATUS.test(text);
}

/** Whether a text says that the limit of a plan is used up. */
export function saysPlanUsedUp(text: string): boolean {
  return includesOne(PLAN_TEXTS, text);
}

function includesOne(patterns: readonly RegExp[], text: string): boolean {
  return !SHORT_TIME.test(text) && patterns.some((pattern) => pattern.test(text));
}

/** OpenAI's and Moonshot's text for used-up credit. Google uses it for limits per minute, too. */
const VAGUELY_USED_UP = /exceeded your current (?:token )?quota|check your plan and billing/i;

/** Whether a text most likely says so, if nothing else in the error says what happened. */
export function maySayUsedUp(text: string): boolean {
  return VAGUELY_USED_UP.test(text) && !SHORT_TIME.test(text) && !/\brate[- ]limits?\b|\bretry in\b/i.test(text);
}
