/** Reads documents into records, and goes on where it was killed: `node batch.ts FOLDER RESULTS.jsonl`. */
import { appendFile, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { getModel, Type } from "pi-ai";
import { completeObject, OutputError } from "pi-ai/object";

const [folder, results] = process.argv.slice(2);
if (!folder || !results) throw new Error("Which folder, and where to? node batch.ts FOLDER RESULTS.jsonl");

const model = getModel("anthropic", "claude-sonnet-5-5");
const schema = Type.Object({ title: Type.String(), parties: Type.Array(Type.String()) });
const AT_ONCE = 8;
const BUDGET = 5; // dollars

const finished = `${await readFile(results, "utf8").catch(() => "")}\n`;
const names = (await readdir(folder)).sort();
const open = names.filter((name) => !finished.includes(`,"name":${JSON.stringify(name)}}\n`));
const failed: string[] = [];
let spent = 0;

async function readDocuments(): Promise<void> {
  while (spent < BUDGET) {
    const name = open.shift();
    if (name === undefined) return;
    try {
      const text = await readFile(join(folder ?? "", name), "utf8");
      const { object, usage } = await completeObject(model, text, { schema, maxRetries: 5 });
      spent += usage.cost.total;
      // The line break comes first, so that a line that a kill has cut spoils no other.
      await appendFile(results ?? "", `\n${JSON.stringify({ ...object, usd: usage.cost.total, name })}`);
    } catch (error) {
      if (error instanceof OutputError) spent += error.usage.cost.total;
      failed.push(`${name}: ${error instanceof Error ? error.message : error}`);
    }
    console.log(
      `${names.length - open.length} of ${names.length}, ${failed.length} failed, ${spent.toFixed(4)} dollars`,
    );
  }
}

await Promise.all(Array.from({ length: AT_ONCE }, readDocuments));
console.log([...failed, open.length > 0 ? `${open.length} are left: the budget is used up` : "done"].join("\n"));
