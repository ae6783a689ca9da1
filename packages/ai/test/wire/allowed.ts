/** The results that a recording allows: more than one if the api is ambiguous. */
import { testsOf } from "../protocols/all-apis.js";
import type { StreamRecording } from "./recordings.js";
import { allowedStops } from "./stop-words.js";
import type { ReasoningItem, Truth, TruthCall } from "./truth.js";
import { type AllowedUsage, readUsage } from "./usage-readings.js";

export interface AllowedCall {
  /** Undefined if the wire has none: then any id is accepted. */
  id: string | undefined;
  name: string;
  arguments: unknown;
  raw: string | undefined;
  isJson: boolean;
}

export interface Allowed {
  texts: string[];
  /** The text of a refusal, which may be in the error text instead. */
  refusal: string | undefined;
  thinkings: string[];
  calls: AllowedCall[];
  /** Whether the id of a tool call may be followed by `|` and the id of its item. */
  idsMayHaveItem: boolean;
  stops: string[];
  /** Undefined if the wire has no usage. */
  usage: AllowedUsage | undefined;
  /** The factors by which the prices may be multiplied. */
  costFactors: number[];
  /** The price that the wire reports, in dollars. */
  wireCost: number | undefined;
}

const SEPARATORS = ["", "\n", "\n\n"];
/** Factors of service tiers: half price for flex; priority is twice or, on some models, two and a half times. */
const TIER_FACTORS: Readonly<Record<string, number[]>> = { flex: [0.5], priority: [2, 2.5] };

export function allowedResponse({ api, truth, body }: StreamRecording): Allowed {
  const { text = "", refusal = "" } = truth;
  return {
    texts: refusal === "" ? [text] : [text + refusal, refusal + text],
    refusal: refusal === "" ? undefined : refusal,
    thinkings: allowedThinkings(truth),
    calls: (truth.toolCalls ?? []).map(toAllowedCall),
    idsMayHaveItem: testsOf(api).recordings?.idsMayHaveItem ?? false,
    stops: allowedStops(api, truth),
    usage: truth.usage ? readUsage(api, truth.usage, body) : undefined,
    costFactors: [1, ...tiersIn(body).flatMap((tier) => TIER_FACTORS[tier] ?? [])],
    wireCost: wireCost(truth),
  };
}

function toAllowedCall(call: TruthCall): AllowedCall {
  return {
    id: call.id || undefined,
    name: call.name,
    arguments: call.arguments,
    raw: call.argumentsRaw,
    isJson: call.argumentsValid !== false,
  };
}

/** The parts of a reasoning item may be joined in three ways. With raw text and a summary, either is accepted. */
function allowedThinkings({ thinking = "", items = [] }: Truth): string[] {
  const reasoning = items.filter((item) => item.type === "reasoning");
  const joined = SEPARATORS.flatMap((separator) =>
    [rawFirst, summaryFirst].map((parts) => reasoning.map((item) => parts(item).join(separator)).join("")),
  );
  return Array.from(new Set([thinking, ...(reasoning.length > 0 ? joined : [])]));
}

function rawFirst({ reasoningText, summary }: ReasoningItem): string[] {
  const raw = partsOf(reasoningText);
  return raw.length > 0 ? raw : partsOf(summary);
}

function summaryFirst({ reasoningText, summary }: ReasoningItem): string[] {
  const parts = partsOf(summary);
  return parts.length > 0 ? parts : partsOf(reasoningText);
}

function partsOf(value: string | string[] | null | undefined): string[] {
  const parts = Array.isArray(value) ? value : [value ?? ""];
  return parts.join("") === "" ? [] : parts;
}

function tiersIn(body: Buffer): string[] {
  const matches = body.toString("latin1").matchAll(/"service_tier"\s*:\s*"(flex|priority)"/g);
  return Array.from(new Set(Array.from(matches, (match) => match[1] ?? "")));
}

function wireCost({ usage }: Truth): number | undefined {
  const costs = [usage?.final?.["cost"], usage?.merged?.["cost"], usage?.["cost"]];
  return costs.find((cost) => typeof cost === "number");
}
