/** The output of the Anthropic Messages API. */
import { FULL, NONE, type OutputRow, PRIMITIVES, type SchemaSubset } from "./rules.js";

export const ANTHROPIC_SUBSET: SchemaSubset = {
  source: "platform.claude.com, Structured outputs: JSON Schema limitations, 2026-11",
  keywords: ["const", "default", "format", "minItems"],
  formats: ["date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"],
  enumTypes: PRIMITIVES,
  closed: true,
  allRequired: false,
  recursion: false,
  largestMinItems: 1,
  limits: { optional: 24, unions: 16 },
};

export const ANTHROPIC_OUTPUT: readonly OutputRow[] = [
  { when: {}, flags: { subset: ANTHROPIC_SUBSET } },
  { when: { facts: { structuredOutput: "full" }, ids: ["claude"] }, flags: FULL },
  // The relay to Claude documents neither field (docs.github.com, Copilot, 2026-11).
  { when: { providers: ["github-copilot"], hosts: ["githubcopilot.com"] }, flags: NONE },
];
