/**
 * Texts by which vendors say that credit, a budget or a plan is used up. A wait of seconds does not help then. Most vendors
 * send a code or the status 402 as well; these texts are for those that do not, and for stored messages.
 */

interface UsedUpText {
  /** The vendors that use the text. From their documents and from errors in public issues, 2026-11. */
  vendor: string;
  pattern: RegExp;
}

/** Texts about money. Repetitions are bounded, because the texts are untrusted. */
const CREDIT_TEXTS: readonly UsedUpText[] = [
  {
    vendor: "OpenAI, OpenRouter, DeepSeek, z.ai, MiniMax, OpenCode, New API",
    pattern: /insufficient[_ ](?:user[_ ])?(?:quota|funds|(?:account |paid )?balance|credits?)/i,
  },
  { vendor: "Anthropic", pattern: /(?:available|credit) balance/i },
  {
    vendor: "SiliconFlow, New API",
    pattern: /(?:balance|quota|credit limit|credits?) (?:is|are) (?:insufficient|not enough|too low)/i,
  },
  { vendor: "gateways", pattern: /not enough (?:quota|funds|balance|credits?)/i },
  { vendor: "OpenAI", pattern: /\bno (?:more )?credits? (?:remaining|left|available)/i },
  { vendor: "LiteLLM, gateways", pattern: /out of (?:budget|credits?|funds)\b/i },
  {
    vendor: "Google, xAI, GitHub Copilot",
    pattern:
      /\bcredits? (?:balance )?(?:(?:is|are|has been|have been|was|were) )?(?:depleted|exhausted|used up|exceeded)/i,
  },
  { vendor: "xAI", pattern: /used all (?:of )?(?:your |its |the )?(?:available )?credits/i },
  { vendor: "Hugging Face", pattern: /exceeded (?:your|the) (?:monthly )?(?:included )?credits/i },
  { vendor: "OpenRouter", pattern: /requires more credits/i },
  { vendor: "gateways", pattern: /\b(?:add|buy|purchase) (?:more )?credits\b/i },
  { vendor: "OpenAI", pattern: /billing[_ ](?:hard[_ ])?limit/i },
  { vendor: "xAI, Fireworks, Anthropic, Google", pattern: /spend(?:ing)?[_ ](?:limit|cap)\b/i },
  {
    vendor: "LiteLLM, OpenRouter",
    pattern: /\bbudget has been exceeded|exceeded ?budget|crossed budget|key budget limit exceeded/i,
  },
  { vendor: "gateways", pattern: /payment required/i },
  { vendor: "Moonshot, DeepSeek", pattern: /\b(?:please (?:recharge|top[ -]?up)|(?:recharge|top[ -]?up) your)\b/i },
  // MCPJam/inspector#1287, RooCodeInc/Roo-Code#515.
  { vendor: "OpenRouter", pattern: /\bkey limit exceeded\b/i },
  // anthropics/claude-code#45046, #45048.
  { vendor: "Anthropic", pattern: /\b(?:out of|draw from your) extra usage\b/i },
  // developers.cloudflare.com, "Workers AI errors", code 4006; diegosouzapw/OmniRoute#6980.
  { vendor: "Cloudflare", pattern: /daily free allocation/i },
  { vendor: "xAI", pattern: /\bdoesn.t have any credits\b/i },
  {
    vendor: "DashScope, New API, Hunyuan, in Chinese",
    pattern: /余额不足|(?:额度|余量)(?:不足|已?(?:用尽|用完|耗尽))|欠费/,
  },
];

/** Texts about a plan or a quota. A rate limit may have the same words. */
const PLAN_TEXTS: readonly UsedUpText[] = [
  {
    vendor: "Anthropic, OpenCode (GoUsageLimitError), ChatGPT (usage_limit_reached, usage_not_included)",
    pattern: /usage[_ ]?(?:limit|not[_ ]included)/i,
  },
  { vendor: "Google", pattern: /quota (?:is |has been )?(?:exhausted|used up)/i },
  // github/app#3166; QwenLM/qwen-code#1742.
  {
    vendor: "GitHub Copilot, DashScope, Qianfan",
    pattern: /exceeded your monthly quota|\b(?:free|hour|week|month) (?:allocated )?quota exceeded/i,
  },
  { vendor: "Cohere", pattern: /trial key, which is limited to [\d,]{1,12} API calls \/ month/i },
  { vendor: "Volcengine", pattern: /\bfree trial quota\b.{0,80}\bconsumed\b/i },
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

function includesOne(texts: readonly UsedUpText[], text: string): boolean {
  return !SHORT_TIME.test(text) && texts.some(({ pattern }) => pattern.test(text));
}

/** OpenAI's and Moonshot's text for used-up credit. Google uses it for limits per minute, too. */
const VAGUELY_USED_UP = /exceeded your current (?:token )?quota|check your plan and billing/i;

/** Whether a text most likely says so, if nothing else in the error says what happened. */
export function maySayUsedUp(text: string): boolean {
  return VAGUELY_USED_UP.test(text) && !SHORT_TIME.test(text) && !/\brate[- ]limits?\b|\bretry in\b/i.test(text);
}
