/**
 * A program that sends, on each api, one successful request, one that fails and one that is aborted, and then has
 * nothing left to do.
 */
import { readFileSync } from "node:fs";
import { type Model, type ProviderStreamOptions, stream } from "pi-ai";

interface Calls {
  good: { model: Model; options: ProviderStreamOptions };
  failed: { model: Model; options: ProviderStreamOptions };
  aborted: { model: Model; options: ProviderStreamOptions };
}

const context = { messages: [{ role: "user" as const, content: "Hello.", timestamp: 0 }] };
// Written by the test that runs this program.
const protocols = JSON.parse(readFileSync(0, "utf8")) as Calls[];
const endings: string[] = [];
for (const { good, failed, aborted } of protocols) {
  endings.push((await stream(good.model, context, good.options).result()).stopReason);
  endings.push((await stream(failed.model, context, failed.options).result()).stopReason);
  const controller = new AbortController();
  const last = stream(aborted.model, context, { ...aborted.options, signal: controller.signal });
  for await (const event of last) if (event.type === "text_delta") controller.abort();
  endings.push((await last.result()).stopReason);
}
process.stdout.write(JSON.stringify(endings));
