/** An agent in the terminal, with three real tools over a folder: `npm run demo -- --help`. */
import { fileURLToPath } from "node:url";
import { Agent } from "pi-agent";
import { type DemoArguments, HELP, parseDemoArguments } from "./arguments.ts";
import { type ChosenModel, chooseModel } from "./choose-model.ts";
import { createScreen } from "./screen.ts";
import { createFolderTools } from "./tools.ts";

const PROJECT = fileURLToPath(new URL("../../..", import.meta.url));
const SYSTEM_PROMPT = `You are a careful assistant in a terminal. You answer questions about the files of one folder.
Look before you answer: list files, read what matters, search where it helps. Answer in plain text, in a few sentences.`;

async function main(): Promise<number> {
  const wish = parseDemoArguments(process.argv.slice(2));
  if (wish.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const chosen = await chooseModel(wish);
  try {
    return await run(wish, chosen);
  } finally {
    await chosen.close();
  }
}

async function run(wish: DemoArguments, { model, apiKey, note }: ChosenModel): Promise<number> {
  const screen = createScreen(process.stdout);
  const agent = new Agent({
    initialState: {
      model,
      systemPrompt: SYSTEM_PROMPT,
      thinkingLevel: wish.thinking,
      tools: createFolderTools(wish.folder ?? PROJECT),
    },
    ...(apiKey === undefined ? {} : { getApiKey: () => apiKey }),
    maxTurns: 20,
  });
  agent.subscribe((event) => screen.show(event));
  const onInterrupt = (): void => {
    // The second time, the person means it.
    if (agent.signal?.aborted) process.exit(130);
    agent.abort();
  };
  process.on("SIGINT", onInterrupt);
  try {
    screen.begin(note, wish.prompt);
    await agent.prompt(wish.prompt);
  } finally {
    process.off("SIGINT", onInterrupt);
  }
  screen.end(agent.state.messages);
  const last = agent.state.messages.at(-1);
  if (last?.role !== "assistant") return 1;
  return last.stopReason === "aborted" ? 130 : last.stopReason === "error" ? 1 : 0;
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`demo: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
