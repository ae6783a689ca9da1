/** Texts to count: those of this repository, of its dependencies, and generated data. The same ones each time. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { generateData } from "./data.ts";

export interface Sample {
  kind: Kind;
  text: string;
  /** The weights are fitted to the other samples. */
  isHeldOut: boolean;
}

export type Kind = "English" | "code" | "JSON and data" | "European" | "CJK" | "other scripts";

export const KINDS: readonly Kind[] = ["English", "code", "JSON and data", "European", "CJK", "other scripts"];

const ROOT = join(import.meta.dirname, "../../..");
/** Characters of a sample: a message of a few paragraphs, or a short file. */
const SAMPLE_LENGTH = 1500;
/** The limit per file: more samples would repeat its vocabulary. */
const SAMPLES_PER_FILE = 3;

/** The languages of texts by their names in the sources. */
const LANGUAGES: Partial<Record<Kind, RegExp>> = {
  European: /\b(european|cs|de|es|fr|it|pl|pt-br|pt-BR|tr)\b/,
  CJK: /\b(chinese|japanese|korean|ja|ko|kr|zh-cn|zh-CN|zh-tw|zh-TW)\b/,
  "other scripts": /\b(russian|arabic|hindi|thai|ru|uk|ar|he|hi|th|el|bn|ta)\b/,
};

export function readCorpus(): Sample[] {
  const prose = readFiles(
    "README.md",
    "docs/**/*.md",
    "node_modules/{zod,vitest,valibot,fast-check,esbuild}/README.md",
  );
  const code = readFiles(
    "packages/*/src/**/*.ts",
    "examples/*/src/**/*.{ts,css,html}",
    "node_modules/zod/v4/core/*.js",
    "node_modules/@types/node/*.d.ts",
  );
  const manifests = readFiles(
    "{packages,examples}/*/package.json",
    "package.json",
    "node_modules/{zod,vitest}/package.json",
  );
  return [
    ...split("English", prose.map(withoutCode)),
    ...split("code", thin(code, 240)),
    ...split("JSON and data", [...manifests, ...generateData()]),
    ...readPaths("bench/src/count-error/texts/*.txt").flatMap((path) => splitLanguage(path, readParagraphs(path))),
    // Messages of a compiler and of a validator, and introductions to a tool.
    ...readPaths(
      "node_modules/.pnpm/typescript@5*/node_modules/typescript/lib/*/*.json",
      "node_modules/zod/v4/locales/*.js",
      "node_modules/@biomejs/biome/README.*.md",
    ).flatMap((path) => splitLanguage(path, cut(readMessages(path)))),
  ];
}

function readFiles(...patterns: string[]): string[] {
  return readPaths(...patterns)
    .filter((path) => !/docs\/reference|\.generated\./.test(path))
    .map((path) => readFileSync(join(ROOT, path), "utf8"));
}

function readPaths(...patterns: string[]): string[] {
  return patterns.flatMap((pattern) => globSync(pattern, { cwd: ROOT }).sort());
}

function withoutCode(markdown: string): string {
  return markdown.replaceAll(/^```[\s\S]*?^```$/gm, "");
}

/** Chooses files evenly from the list. */
function thin<T>(list: readonly T[], size: number): T[] {
  return list.filter(
    (_, index) => Math.floor((index * size) / list.length) !== Math.floor(((index - 1) * size) / list.length),
  );
}

/** Every second file is held out. */
function split(kind: Kind, files: readonly string[]): Sample[] {
  return files.flatMap((file, index) =>
    Array.from({ length: SAMPLES_PER_FILE }, (_, part) => file.slice(part * SAMPLE_LENGTH, (part + 1) * SAMPLE_LENGTH))
      .filter((text) => text.length >= SAMPLE_LENGTH / 3)
      .map((text) => ({ kind, text, isHeldOut: index % 2 === 1 })),
  );
}

function cut(text: string): string[] {
  const start = Math.floor(text.length / 3);
  return Array.from({ length: 12 }, (_, part) => text.slice(start + part * 600, start + (part + 1) * 600)).filter(
    (each) => each.length === 600,
  );
}

/** Messages without their keys; other files as they are. */
function readMessages(path: string): string {
  const text = readFileSync(join(ROOT, path), "utf8");
  return path.endsWith(".json") ? Object.values(JSON.parse(text)).join("\n") : text;
}

/** Three paragraphs at a time; each of the European ones is in a language of its own. */
function readParagraphs(path: string): string[] {
  const paragraphs = readFileSync(join(ROOT, path), "utf8").trim().split("\n\n");
  if (path.endsWith("european.txt")) return paragraphs;
  return [paragraphs.slice(0, 3).join("\n\n"), paragraphs.slice(3).join("\n\n")];
}

/** Every second part is held out. */
function splitLanguage(path: string, parts: readonly string[]): Sample[] {
  const kind = KINDS.find((each) => LANGUAGES[each]?.test(path.replace(/^.*(?=\/(lib|locales|texts)\/|README)/, "")));
  return kind ? parts.map((text, index) => ({ kind, text, isHeldOut: index % 2 === 1 })) : [];
}
