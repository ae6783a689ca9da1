/** A conversation in the terminal: a line at the prompt asks, a line during a run steers. */
import { clearScreenDown, createInterface, cursorTo, type Interface, moveCursor } from "node:readline";
import type { Agent, PauseRequest } from "pi-agent";
import { describeRequest, openRequest, toAnswer } from "./requests.ts";
import { createScreen, type Screen } from "./screen.ts";

export interface ConversationOptions {
  agent: Agent;
  /** Names the model. */
  note: string;
  input: NodeJS.ReadableStream;
  output: NodeJS.WritableStream & { columns?: number };
}

const PROMPT = "> ";
const WELCOME =
  "Ask about the files of this folder, for example: where are the error classes? Or: save a note about them. /help has the rest.";
const COMMANDS = `/new   forget the conversation
/cost  tokens and cost so far
/help  this text
/quit  leave (Ctrl-D does the same)
A line that you type while the agent works steers it. If it asks whether a tool may run, your line is the answer. Ctrl-C stops the agent; a second Ctrl-C leaves.`;

/** Resolves with the exit code when the user quits. */
export function converse(options: ConversationOptions): Promise<number> {
  const { input, output } = options;
  const terminal = createInterface({ input, output, terminal: true, prompt: PROMPT, historySize: 100 });
  return new Conversation(options, terminal).run();
}

class Conversation {
  readonly #agent: Agent;
  readonly #terminal: Interface;
  readonly #output: ConversationOptions["output"];
  readonly #screen: Screen;
  readonly #note: string;
  #running: Promise<void> = Promise.resolve();
  /** Whether the last input was Ctrl-C. */
  #interrupted = false;
  /** Columns used on the last line above the input. Above 0, that line is still growing. */
  #lastColumn = 0;
  /** Whether the input line is on the screen. */
  #drawn = false;

  constructor({ agent, output, note }: ConversationOptions, terminal: Interface) {
    this.#agent = agent;
    this.#terminal = terminal;
    this.#output = output;
    this.#note = note;
    const write = (text: string): void => this.#aboveInput(text);
    this.#screen = createScreen({
      write,
      isTTY: true,
      get columns() {
        return output.columns ?? 80;
      },
    });
  }

  async run(): Promise<number> {
    const stopShowing = this.#agent.subscribe((event) => this.#screen.show(event));
    this.#screen.note(`Model: ${this.#note}\n${WELCOME}`);
    this.#terminal.on("line", (line) => this.#take(line.trim()));
    this.#terminal.on("SIGINT", () => this.#interrupt());
    await new Promise<void>((resolve) => this.#terminal.once("close", resolve));
    this.#eraseInput();
    this.#agent.abort();
    await this.#running;
    stopShowing();
    this.#screen.summary(this.#agent.state.messages);
    return 0;
  }

  #take(line: string): void {
    this.#interrupted = false;
    // Readline has left the typed line on the screen and the cursor below it.
    this.#drawn = false;
    this.#screen.startLine();
    this.#lastColumn = 0;
    this.#drawInput();
    const { isStreaming } = this.#agent.state;
    const request = isStreaming ? undefined : openRequest(this.#agent);
    if (line.startsWith("/")) this.#command(line);
    else if (request) this.#run(() => this.#answer(request, line));
    else if (line === "") return;
    else if (isStreaming) this.#steer(line);
    else this.#run(() => this.#agent.prompt(line));
  }

  /** Runs to the end, or to a question. */
  #run(start: () => Promise<void>): void {
    const run = async (): Promise<void> => {
      try {
        await start();
        const request = openRequest(this.#agent);
        if (request) this.#screen.note(describeRequest(request));
      } catch (error) {
        this.#screen.note(`Failed: ${error instanceof Error ? error.message : String(error)}`);
      }
    };
    this.#running = run();
  }

  async #answer(request: PauseRequest, line: string): Promise<void> {
    await this.#agent.answer([toAnswer(request, line)]);
    if (!openRequest(this.#agent)) await this.#agent.continue();
  }

  #steer(line: string): void {
    this.#agent.steer({ role: "user", content: line, timestamp: Date.now() });
    this.#screen.note("(The agent reads this after its current step.)");
  }

  #command(line: string): void {
    if (line === "/quit" || line === "/exit") this.#terminal.close();
    else if (line === "/cost") this.#screen.summary(this.#agent.state.messages);
    else if (line === "/help") this.#screen.note(COMMANDS);
    else if (line !== "/new") this.#screen.note(`${line} is not a command.\n${COMMANDS}`);
    else if (this.#agent.state.isStreaming) this.#screen.note("The agent is still at work. Stop it with Ctrl-C first.");
    else {
      this.#agent.reset();
      this.#screen.note("Started a new conversation.");
    }
  }

  #interrupt(): void {
    const { isStreaming } = this.#agent.state;
    if (this.#interrupted || (!isStreaming && this.#terminal.line === "")) {
      this.#terminal.close();
      return;
    }
    this.#interrupted = true;
    if (!isStreaming) {
      // As in a shell, the first Ctrl-C clears the typed text.
      this.#terminal.write(null, { ctrl: true, name: "u" });
      return;
    }
    this.#agent.abort();
  }

  /** Writes above the line that the user is typing, and redraws that line below it. */
  #aboveInput(text: string): void {
    this.#eraseInput();
    this.#output.write(text);
    this.#lastColumn = this.#screen.column;
    this.#drawInput();
  }

  #eraseInput(): void {
    if (!this.#drawn) return;
    moveCursor(this.#output, 0, -this.#terminal.getCursorPos().rows);
    cursorTo(this.#output, 0);
    clearScreenDown(this.#output);
    this.#drawn = false;
    if (this.#lastColumn === 0) return;
    moveCursor(this.#output, 0, -1);
    cursorTo(this.#output, this.#lastColumn);
  }

  #drawInput(): void {
    if (this.#closed) return;
    if (this.#lastColumn > 0) this.#output.write("\n");
    const { line, cursor } = this.#terminal;
    this.#output.write(PROMPT + line);
    // Typed text may continue to the right of the cursor.
    if (cursor < line.length) moveCursor(this.#output, cursor - line.length, 0);
    this.#drawn = true;
  }

  get #closed(): boolean {
    // Readline sets this property, but its types lack it.
    return "closed" in this.#terminal && this.#terminal.closed === true;
  }
}
