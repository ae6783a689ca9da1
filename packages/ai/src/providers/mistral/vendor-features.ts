/** Features of Mistral beside answering: files that models accept. */
import type { FileRow } from "../../request/index.js";

/** docs.mistral.ai, "Document understanding" and "Audio & Transcription", 2026-11. */
export const MISTRAL_FILES: readonly FileRow[] = [
  { ifImages: true, kinds: ["pdf"] },
  { models: /voxtral/, kinds: ["audio"] },
];
