/** Families of OpenAI's models, as parts of their ids. */

/**
 * Models that accept a cache mark (`prompt_cache_breakpoint`) in single blocks: "gpt-5.6 and later models"
 * (openai SDK 7.57, `ResponseInputText`, and developers.openai.com, "Prompt caching"; 2026-11).
 */
export const MARKED_GPT: readonly string[] = ["gpt-5.6", "gpt-5.7", "gpt-5.8", "gpt-5.9", "gpt-6"];
