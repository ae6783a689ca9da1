/**
 * Prints how far off the estimate of tokens is: `npm run count:error`. `--write` puts the tables into the documentation,
 * `--check` compares them with it, `--fit` prints weights for `token-families.ts`.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { estimateText } from "../packages/ai/src/utils/estimate-text.ts";
import { familyOf } from "../packages/ai/src/utils/token-families.ts";
import { KINDS, readCorpus, type Sample } from "./count-error/corpus.ts";
import { fitWeights } from "./count-error/fit.ts";
import { type Measurement, readRecordings } from "./count-error/recordings.ts";
import { show, summarize, toTable } from "./count-error/statistics.ts";
import { type FamilyTokenizer, installTokenizers, loadTokenizers } from "./count-error/tokenizers.ts";

const PAGE = join(import.meta.dirname, "../docs/long-context.md");
const PART = /(?<=<!-- count:error -->\n)[\s\S]*?(?=<!-- \/count:error -->)/;
/** Points of percent by which a figure may differ from the page: some of the texts are sources that change. */
const TOLERANCE = 2;
const RECORDED: readonly Measurement["kind"][] = ["text", "thinking", "tool calls", "prompt", "prompt with tools"];
/** Of the models of recordings. */
const FAMILY_NAMES: readonly (readonly [RegExp, string])[] = [
  [/claude/, "Claude"],
  [/gemini|gemma/, "Gemini"],
  [/gpt|\bo\d|codex/, "GPT"],
  [/[sx]tral/, "Mistral"],
  [/qwen/i, "Qwen"],
  [/./, "others"],
];

function tableOfTokenizers(tokenizers: readonly FamilyTokenizer[], samples: readonly Sample[]): string {
  const rows = tokenizers.map(({ name, model, count }) => {
    const family = familyOf(model);
    const errors = KINDS.map((kind) =>
      samples
        .filter((sample) => sample.kind === kind)
        .map(({ text }) => Math.abs((estimateText(text, family.text) * family.scale) / count(text) - 1)),
    );
    return [name, ...errors.map((each) => show(summarize(each)))];
  });
  return toTable([["family", ...KINDS], ...rows]);
}

function tableOfRecordings(measurements: readonly Measurement[]): string {
  const families = Map.groupBy(
    measurements,
    ({ model }) => FAMILY_NAMES.find(([names]) => names.test(model))?.[1] ?? "",
  );
  const rows = FAMILY_NAMES.map(([, name]) => [
    name,
    ...RECORDED.map((kind) => {
      const found = (families.get(name) ?? []).filter((each) => each.kind === kind);
      const errors = summarize(found.map(({ tokens, estimate }) => Math.abs(estimate / tokens - 1)));
      return errors.count === 0 ? "-" : `${show(errors)} (${errors.count})`;
    }),
  ]);
  return toTable([["family", ...RECORDED], ...rows]);
}

/** Whether both have the same words, and figures that are near. */
function isNear(before: string, after: string): boolean {
  const figures = (text: string): number[] => (text.match(/\d+/g) ?? []).map(Number);
  const words = (text: string): string => text.replaceAll(/\d+|[ -]+/g, " ");
  const [old, now] = [figures(before), figures(after)];
  return (
    words(before).replaceAll(/ +/g, " ") === words(after).replaceAll(/ +/g, " ") &&
    old.length === now.length &&
    old.every((figure, index) => Math.abs(figure - (now[index] ?? 0)) <= TOLERANCE)
  );
}

async function main(flags: ReadonlySet<string>): Promise<string> {
  await installTokenizers();
  const tokenizers = loadTokenizers();
  const samples = readCorpus();
  if (flags.has("--fit")) return printFit(tokenizers, samples);
  const recordings = readRecordings();
  const part = `${tableOfTokenizers(
    tokenizers,
    samples.filter(({ isHeldOut }) => isHeldOut),
  )}\n`;
  const recorded = recordings ? `${tableOfRecordings(recordings.measurements)}\n` : "";
  const excluded = Array.from(recordings?.excluded ?? [], ([reason, count]) => `${count} ${reason}`).join("\n");
  const page = readFileSync(PAGE, "utf8");
  if (flags.has("--write")) {
    if (!recordings) throw new Error("Set PI_WIRE_DIR to the folder of recordings");
    writeFileSync(
      PAGE,
      page.replace(PART, () => `\n${part}\n${recorded}\n`),
    );
  }
  if (flags.has("--check") && !isNear(PART.exec(page)?.[0] ?? "", recorded ? `\n${part}\n${recorded}\n` : part))
    throw new Error("The tables of docs/long-context.md are old: npm run count:error -- --write");
  return `Median / 95th percentile of the error in percent.\n\n${part}\n${recorded}\nLeft out:\n${excluded}\n`;
}

function printFit(tokenizers: readonly FamilyTokenizer[], samples: readonly Sample[]): string {
  const open = tokenizers.filter(({ name }) => name.startsWith("others"));
  const average = (text: string): number => open.reduce((sum, { count }) => sum + count(text), 0) / open.length;
  const fitted = [...tokenizers.filter((each) => !open.includes(each)), { name: "others", count: average }];
  const train = samples.filter(({ isHeldOut }) => !isHeldOut);
  return fitted.map(({ name, count }) => `${name}: [${fitWeights(train, count).join(", ")}]\n`).join("");
}

process.stdout.write(await main(new Set(process.argv.slice(2))));
