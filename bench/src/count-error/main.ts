/**
 * Prints how far off the estimate of tokens is: `npm run task count:error`. `--write` puts the tables into the documentation,
 * `--check` compares them with it, `--fit` prints weights for `token-families.ts`.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { printHelpIfAsked } from "../../../scripts/help.ts";
import { readCorpus, type Sample } from "./corpus.ts";
import { fitWeights } from "./fit.ts";
import { readRecordings } from "./recordings.ts";
import { isNear, PAGE, PART, tableOfRecordings, tableOfTokenizers } from "./tables.ts";
import { type FamilyTokenizer, installTokenizers, loadTokenizers } from "./tokenizers.ts";

printHelpIfAsked(import.meta.filename);

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
    throw new Error("The tables of docs/long-context.md are old: npm run task count:error -- --write");
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
