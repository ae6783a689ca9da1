/** Which images models and hosts take. What a model's family states holds at every host. */
import type { Model } from "../../types/model.js";
import { ownValue } from "../../utils/own-value.js";
import { familyOf } from "./families.js";
import { type CompatRow, matchesModel } from "./match.js";

/** Which images a model or a host takes. */
export interface ImageRules {
  /** Their MIME types. */
  types: readonly string[];
  /** The longest edge, in pixels. Default: any. */
  maxEdge?: number;
  /** The shortest edge, in pixels. Default: any. */
  minEdge?: number;
  /** A GIF may hold one picture only. */
  stillGifs?: true;
  /** The longest edge in a request with more than so many images. */
  many?: { count: number; maxEdge: number };
  /** Width times height. */
  maxPixels?: number;
  /** The length of the data in base64. Default: any, or checked by the adapter. */
  maxLength?: number;
  /** Of all images and files of a request: their length in base64. */
  maxTotal?: number;
  /** How many images a request may have, by the context window of the model: in tokens, from small to large. */
  counts?: readonly { window: number; count: number }[];
  /** How many documents a request may have. */
  maxFiles?: number;
  /** The schemes of the addresses from which the vendor loads files. Default: any, as servers of one's own have it. */
  schemes?: readonly string[];
}

const MEBIBYTE = 1024 * 1024;
/** The length in base64. */
const inBase64 = (bytes: number): number => Math.ceil((bytes * 4) / 3);
const images = (count: number): { window: number; count: number }[] => [{ window: Number.POSITIVE_INFINITY, count }];

/** The types that every vendor's documentation of images names, unless a row says otherwise (2026-11). */
const COMMON_TYPES: readonly string[] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/** Images that families of models refuse, at every host. */
const FAMILIES: Readonly<Record<string, Partial<ImageRules>>> = {
  // "At least one of the image dimensions exceed max allowed size: 8000 pixels", "for many-image requests: 2000 pixels"
  // (anthropics/claude-code#5147 and #13480, 2025); platform.claude.com, "Vision": more than 20 images, 2026-11.
  // The same page: 100 images for a model with a context of 200,000 tokens, 600 for others.
  Claude: {
    maxEdge: 8000,
    many: { count: 20, maxEdge: 2000 },
    counts: [
      { window: 200_000, count: 100 },
      { window: Number.POSITIVE_INFINITY, count: 600 },
    ],
  },
  // developers.openai.com, "Images and vision": "Non-animated GIF", 2026-11.
  GPT: { stillGifs: true },
  "OpenAI o": { stillGifs: true },
  // ai.google.dev, "Image understanding: supported formats", 2026-11; microsoft/vscode#286628, 2026-01: no GIF.
  Gemini: { types: ["image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"] },
  // docs.x.ai, "Image understanding: general limits", 2026-11.
  Grok: { types: ["image/png", "image/jpeg"] },
};

const WEB = ["https", "http"];

/** Images that hosts refuse, whatever the model. */
const HOSTS: readonly CompatRow<Partial<ImageRules>>[] = [
  // "The URL must be a valid HTTP or HTTPS URL, or a data URL" (labring/FastGPT#1697, 2024-06). The others document addresses
  // of the web alone: platform.claude.com, "Vision"; docs.mistral.ai, "Vision"; openrouter.ai, "Images"; 2026-11.
  {
    when: {
      providers: ["openai", "openai-codex", "azure", "azure-openai-responses", "anthropic", "mistral", "openrouter"],
      hosts: ["api.openai.com", "azure.com", "api.anthropic.com", "api.mistral.ai", "openrouter.ai"],
    },
    flags: { schemes: WEB },
  },
  // "Unsupported file uri" (gunpal5/Google_GenerativeAI#54, 2025-07); ai.google.dev, "File input methods", 2026-11.
  {
    when: { providers: ["google", "google-vertex", "google-gemini-cli", "google-antigravity"] },
    flags: { schemes: [...WEB, "gs"] },
  },
  // docs.aws.amazon.com, Bedrock API reference, "Message": 3.75 MB, 8,000 px on each edge; user guide, "API restrictions":
  // five documents; 2026-11.
  { when: { providers: ["amazon-bedrock"] }, flags: { maxEdge: 8000, maxLength: 5 * MEBIBYTE, maxFiles: 5 } },
  // platform.claude.com, "Vision" and "Errors", 2026-11.
  { when: { hosts: ["api.anthropic.com"] }, flags: { maxLength: 10 * MEBIBYTE, maxTotal: 32 * MEBIBYTE } },
  // mistralai/platform-docs-public, "Vision", 2025-11: 8 images of 10 MB and 10,000 pixels, "non-animated GIF with only one frame".
  {
    when: { hosts: ["api.mistral.ai"] },
    flags: { counts: images(8), maxLength: inBase64(10 * MEBIBYTE), maxEdge: 10_000, stillGifs: true },
  },
  // console.groq.com, "Images and Vision", 2026: 5 images of 33 megapixels, and requests of 4 MB with images in base64.
  { when: { hosts: ["api.groq.com"] }, flags: { counts: images(5), maxPixels: 33_177_600, maxTotal: 4 * MEBIBYTE } },
  // Deployments have names of their own.
  {
    when: {
      providers: ["openai", "openai-codex", "azure", "azure-openai-responses"],
      hosts: ["api.openai.com", "azure.com"],
    },
    flags: { stillGifs: true },
  },
  // "The image length and width do not meet the model restrictions. [height:1 or width:1 must be larger than 10]"
  // (QwenLM/qwen-code#2505, 2026-03).
  {
    when: { hosts: ["dashscope", "aliyuncs.com", "qwencloudapi.com", "qianwenaiapi.com"] },
    flags: { minEdge: 11 },
  },
  // docs.x.ai, "Image understanding", 2026-11.
  { when: { providers: ["xai"], hosts: ["api.x.ai"] }, flags: { maxLength: inBase64(20 * MEBIBYTE) } },
];

/** The rules of a model's vendor for images. */
export function imageRulesOf(model: Model): ImageRules {
  const rules: ImageRules = { types: COMMON_TYPES };
  for (const { when, flags } of HOSTS) if (matchesModel(model, when)) Object.assign(rules, flags);
  return Object.assign(rules, ownValue(FAMILIES, familyOf(model)?.family));
}
