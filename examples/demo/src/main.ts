/** An agent in the terminal, with real tools over a folder: `npm run demo -- --help`. */
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { Agent } from "pi-agent";
import { approvals } from "pi-agent/approvals";
import { checkFolder, type DemoArguments, HELP, parseDemoArguments } from "./arguments.ts";
import { type ChosenModel, chooseModel } from "./choose-model.ts";
import { converse } from "./conversation.ts";
import { answerAll, readOneLine } from "./requests.ts";
import { createScreen } from "./screen.ts";
import { createFolderTools } from "./tools.ts";

const PROJECT = fileURLToPath(new URL("../../..", import.meta.url));
const DEFAULT_PROMPT = "What is in this project, and where are its error classes defined?";
const SYSTEM_PROMPT = `You are a careful assistant in a terminal. You answer questions about the files of one folder.
Look before you answer: list files, read what matters, search where it helps. Answer in plain text, in a few sentences.
Save a note only if you are asked to.`;

async function main(): Promise<number> {
  const options = parseDemoArguments(process.argv.slice(2));
  if (options.help) {
    process.stdout.write(HELP);
    return 0;
  }
  if (options.folder !== undefined) await checkFolder(options.folder);
  const chosen = await chooseModel(options);
  try {
    const agent = createAgent(options, chosen);
    const { stdin: input, stdout: output } = process;
    if (input.isTTY && output.isTTY && options.prompt === "")
      return await converse({ agent, note: chosen.note, input, output });
    const piped = input.isTTY || options.prompt !== "" ? "" : (await text(input)).trim();
    return await runOnce(agent, chosen.note, options.prompt || piped || DEFAULT_PROMPT);
  } finally {
    await chosen.close();
  }
}

function createAgent(options: DemoArguments, { model, apiKey }: ChosenModel): Agent {
  return new Agent({
    initialState: {
      model,
      systemPrompt: SYSTEM_PROMPT,
      thinkingLevel: options.thinking,
      tools: createFolderTools(options.folder ?? PROJECT),
    },
    middleware: [approvals({ when: ({ tool }) => tool.name === "save_note", pause: true })],
    onNewMessage: "decline",
    ...(apiKey === undefined ? {} : { getApiKey: () => apiKey }),
    maxTurns: 20,
  });
}

async function runOnce(agent: Agent, note: string, prompt: string): Promise<number> {
  const screen = createScreen(process.stdout);
  agent.subscribe((event) => screen.show(event));
  const onInterrupt = (): void => {
    // The second Ctrl-C exits at once.
    if (agent.signal?.aborted) process.exit(130);
    agent.abort();
  };
  process.on("SIGINT", onInterrupt);
  try {
    screen.note(`Model: ${note}`);
    screen.question(prompt);
    await agent.prompt(prompt);
    const { stdin: input, stdout: output } = process;
    const isHere = input.isTTY && output.isTTY;
    await answerAll(agent, { show: screen.note, readLine: isHere ? () => readOneLine(input, output) : undefined });
  } finally {
    process.off("SIGINT", onInterrupt);
  }
  screen.summary(agent.state.messages);
  const last = agent.state.messages.at(-1);
  if (last?.role !== "assistant") return 1;
  return last.stopReason === "aborted" ? 130 : last.stopReason === "error" ? 1 : 0;
}

// `demo | head -1` closes the pipe when it has read enough. The demo then ends at once, as others do in a pipe.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit(0);
  });
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`demo: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
