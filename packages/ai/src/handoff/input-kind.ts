/** Decides whether a model accepts a file. */
import type { Model } from "../types/model.js";

type InputKind = Model["input"][number];

/** By the first part of a MIME type; other types count as documents. */
const KINDS: Readonly<Record<string, InputKind>> = { text: "text", image: "image", audio: "audio", video: "video" };
/** Text types outside of `text/` (IANA media types, 2026-11). */
const TEXT_TYPES: ReadonlySet<string> = new Set([
  "application/json",
  "application/xml",
  "application/yaml",
  "application/javascript",
  "application/x-ndjson",
]);

/** The kind of input that a file of this type counts as. */
export function inputKindOf(mimeType: string): InputKind {
  const type = mimeType.toLowerCase().split(";")[0]?.trim() ?? "";
  if (TEXT_TYPES.has(type)) return "text";
  const family = type.split("/")[0] ?? "";
  return (Object.hasOwn(KINDS, family) ? KINDS[family] : undefined) ?? "pdf";
}

interface FileRow {
  apis: readonly string[];
  /** Default: all. */
  providers?: readonly string[];
  /** By the id of the model. Default: all. */
  models?: RegExp;
  /** Only models that also accept images. */
  ifImages?: true;
  kinds: readonly InputKind[];
}

/**
 * Kinds that models accept in addition to the catalogue, which knows only text and images. Sources, all 2026-11:
 * platform.claude.com "PDF support"; developers.openai.com "File inputs"; ai.google.dev "Document understanding", "Audio
 * understanding", "Video understanding"; docs.aws.amazon.com "Converse: DocumentBlock, VideoBlock"; openrouter.ai/docs "PDF
 * inputs"; docs.mistral.ai "Document QnA", "Audio".
 */
const FILES: readonly FileRow[] = [
  { apis: ["anthropic-messages"], models: /claude/, ifImages: true, kinds: ["pdf"] },
  {
    apis: ["openai-responses", "azure-openai-responses"],
    providers: ["openai", "azure"],
    ifImages: true,
    kinds: ["pdf"],
  },
  {
    apis: ["google-generative-ai", "google-vertex", "google-gemini-cli"],
    models: /gemini/,
    kinds: ["pdf", "audio", "video"],
  },
  { apis: ["bedrock-converse-stream"], models: /claude|nova-(lite|pro|premier|2)/, ifImages: true, kinds: ["pdf"] },
  { apis: ["bedrock-converse-stream"], models: /nova-(lite|pro|premier|2)/, ifImages: true, kinds: ["video"] },
  { apis: ["openai-completions"], providers: ["openrouter"], kinds: ["pdf"] },
  { apis: ["openai-completions"], providers: ["openai"], ifImages: true, kinds: ["pdf"] },
  { apis: ["mistral-conversations"], ifImages: true, kinds: ["pdf"] },
  { apis: ["mistral-conversations"], models: /voxtral/, kinds: ["audio"] },
];

/** Whether a model accepts a file of this type, according to its `input` or to the table of its api and provider. */
export function takesFile(model: Pick<Model, "api" | "provider" | "id" | "input">, mimeType: string): boolean {
  const kind = inputKindOf(mimeType);
  return model.input.includes(kind) || FILES.some((row) => row.kinds.includes(kind) && fits(row, model));
}

function fits(row: FileRow, { api, provider, id, input }: Parameters<typeof takesFile>[0]): boolean {
  if (!row.apis.includes(api) || (row.ifImages && !input.includes("image"))) return false;
  return (row.providers?.includes(provider) ?? true) && (row.models?.test(id) ?? true);
}
