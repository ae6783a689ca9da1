/** The models of the price table, and the most that their sessions may cost. */
import type { SessionRow } from "./play-session.internal.js";

export const SESSION_ROWS: readonly SessionRow[] = [
  { name: "Claude Opus 5.5", provider: "anthropic", id: "claude-opus-5-5", other: "claude-sonnet-5-5", most: 1.85 },
  { name: "Claude Opus 4.6", provider: "anthropic", id: "claude-opus-4-6", other: "claude-sonnet-4-6", most: 1.8 },
  { name: "Claude Sonnet 4.5", provider: "anthropic", id: "claude-sonnet-4-5", other: "claude-haiku-4-5", most: 1.4 },
  { name: "GPT-5.5", provider: "openai", id: "gpt-5.5", other: "gpt-5.4", most: 1.3 },
  { name: "GPT-6 Sol", provider: "openai", id: "gpt-6-sol", other: "gpt-5.6-sol", most: 1.3 },
  { name: "Gemini 3.5 Flash", provider: "google", id: "gemini-3.5-flash", other: "gemini-3.1-pro-preview", most: 1.35 },
  {
    name: "GPT-4.1, Chat",
    provider: "openai",
    id: "gpt-4.1",
    other: "gpt-4.1-mini",
    api: "openai-completions",
    most: 1.15,
  },
];
