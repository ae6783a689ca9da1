/**
 * Reads every request of the tests with the rules of its vendor. What a test sends goes to a script or a recording, which
 * answers whatever comes; the vendor would not.
 */
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { afterAll, afterEach, expect } from "vitest";
import { modelOf } from "./double.js";
import { refuse, VENDORS, type Vendor, vendorNamed, vendorOf } from "./vendors.js";

/** The parts of a published request that are read. */
interface SeenRequest {
  api: string;
  provider: string;
  model: string;
  attempts: { url?: string; requestBody?: { read(): string } }[];
}

/** Longer bodies are published without their end. */
const MAX_LENGTH = 1_000_000;
/** What only counts a prompt needs less. */
const COUNTS = /count-?_?tokens/i;
const LOOPBACK = /^\w+:\/\/(127\.|localhost|\[::1\])/;
/** A context without messages is sent as it is, and a test of something else may leave it so. */
const NO_MESSAGES = /\/no-(messages|contents|input)$/;

const UNSIGNED = /^(anthropic\/thinking-signature|openai-responses\/reasoning-alone)$/;

let excused: RegExp[] = [];
let broken: string[] = [];

/** Tests of this file send what a vendor refuses, for this reason. */
export function breaksRules(rules: RegExp, reason: string): void {
  if (reason) excused.push(rules);
}

/** Tests of this file need requests that nothing listens to. */
export function sendsUnwatched(): void {
  unsubscribe("pi.request.start", ignore);
}

/** Called by the setup of each test file. */
export function checkRequests(): void {
  excused = [];
  broken = [];
  subscribe("pi.request.start", ignore);
  subscribe("pi.request.end", check);
  afterEach(tell);
  afterAll(() => {
    unsubscribe("pi.request.start", ignore);
    unsubscribe("pi.request.end", check);
    tell();
  });
}

/** Requests are published while somebody listens to their start. */
function ignore(): void {}

function check(message: unknown): void {
  const request = message as SeenRequest; // the channel has no other messages
  const vendor = vendorFor(request);
  if (!vendor) return;
  for (const { url = "", requestBody } of request.attempts) {
    const text = requestBody?.read() ?? "";
    if (text === "" || text.length > MAX_LENGTH || COUNTS.test(url)) continue;
    const body = JSON.parse(text);
    // A part of a conversation that the server keeps is read by the double of threads, which has the rest.
    if (body.thread?.type === "continue") continue;
    // Code Assist wraps the request.
    const refusal = refuse(vendor, body.request ?? body, modelOf(url) ?? String(body.model ?? request.model));
    if (refusal && !isExcused(refusal.rule.id, url))
      broken.push(`${refusal.rule.id} at ${refusal.at}: ${refusal.words} (${expect.getState().currentTestName})`);
  }
}

/** A server of a developer's own signs no thinking, and takes it alone. */
function isExcused(rule: string, url: string): boolean {
  if (NO_MESSAGES.test(rule) || excused.some((pattern) => pattern.test(rule))) return true;
  return UNSIGNED.test(rule) && LOOPBACK.test(url);
}

/** The vendor of a provider, or the one that made the api. */
function vendorFor({ api, provider, model }: SeenRequest): Vendor | undefined {
  const vendor = vendorOf({ api, provider });
  if (vendor) return vendor;
  // Other models than Claude have rules of their own.
  if (api === "anthropic-messages") return /claude/i.test(model) ? vendorNamed("anthropic") : undefined;
  if (api === "openai-responses") return vendorNamed("openai-responses");
  return VENDORS.find(({ apis }) => apis.includes(api));
}

function tell(): void {
  const told = broken;
  broken = [];
  if (told.length > 0) throw new Error(`The vendor refuses what this test sends:\n${[...new Set(told)].join("\n")}`);
}
