/** A scripted model that needs no network. A few words in the prompt select its response. */
import {
  type AssistantMessage,
  type Context,
  fauxAssistantMessage,
  fauxText,
  fauxThinking,
  fauxToolCall,
  type Message,
  type Model,
  registerFauxProvider,
} from "pi-ai";

const STORY = `### How streaming works

You read **while the response is still being written**. Each piece of text arrives as a small event:

1. The server passes the event on as soon as it has it.
2. The page adds it where the last one ended.
3. Finished paragraphs are not touched again.

The agent itself runs *here*, in your browser. It decides when to run a tool and sends the result back. The \
server only passes messages on to the model, because it holds the key.

\`\`\`ts
// The whole agent
const agent = new Agent({ initialState: { model }, streamFn });
await agent.prompt("Hello");
\`\`\`

> Press **Stop**, or type a message and send it: it reaches me before my next turn.`;

const TABLE = `| | Prompt | Steering |
| --- | --- | --- |
| When | the agent is idle | the agent is at work |
| Effect | starts a run | joins the run before its next turn |
| Method | \`agent.prompt()\` | \`agent.steer()\` |

You can try it: send something while a response is being written.`;

/** @param tokensPerSecond the speed of its responses */
export function createFauxModel(tokensPerSecond = 60): Model {
  const faux = registerFauxProvider({
    provider: "made-up",
    tokensPerSecond,
    models: [
      {
        id: "made-up-1",
        name: "Made-up 1",
        reasoning: true,
        cost: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
      },
    ],
  });
  const response = (context: Context): AssistantMessage => {
    // Every response prepares the next one.
    faux.appendResponses([response]);
    return respond(context.messages);
  };
  faux.setResponses([response]);
  return faux.getModel();
}

function respond(messages: readonly Message[]): AssistantMessage {
  const last = messages.at(-1);
  if (last?.role === "toolResult") return fauxAssistantMessage(describeResults(messages));
  const asked = wordsOf(last);
  if (/\bfail\b/i.test(asked)) {
    const failed = fauxAssistantMessage("I was about to say", {
      stopReason: "error",
      errorMessage: "529 overloaded_error: Overloaded",
    });
    return { ...failed, error: { kind: "overloaded", status: 529 } };
  }
  if (/\btable\b/i.test(asked)) return fauxAssistantMessage(TABLE);
  if (/\bdice\b/i.test(asked)) {
    return fauxAssistantMessage([
      fauxThinking("Dice are random, and I am not. There is a tool for that, and it needs a count."),
      fauxText("Let me roll them."),
      fauxToolCall("roll_dice", { count: 2, sides: 6 }),
    ]);
  }
  if (/\btime\b/i.test(asked)) return fauxAssistantMessage([fauxToolCall("current_time", {})]);
  const images = last?.role === "user" && typeof last.content !== "string" ? last.content.filter(isImage) : [];
  if (images.length > 0) {
    return fauxAssistantMessage(
      `You sent ${images.length === 1 ? "an image" : `${images.length} images`}. It looks fine.`,
    );
  }
  const thinking = fauxThinking(
    "The user wants to see how a response streams. I explain it in three short paragraphs.",
  );
  return fauxAssistantMessage([thinking, fauxText(asked === "" ? STORY : `You said "${asked}".\n\n${STORY}`)]);
}

function describeResults(messages: readonly Message[]): string {
  const results = messages.slice(messages.findLastIndex(({ role }) => role === "assistant") + 1);
  const texts = results.flatMap((message) => (message.role === "toolResult" ? [wordsOf(message)] : []));
  const steering = results.flatMap((message) => (message.role === "user" ? [wordsOf(message)] : []));
  const heard = steering.length > 0 ? ` And I heard you: "${steering.join('", "')}".` : "";
  return `The tool says: ${texts.join(" ")}${heard}`;
}

function wordsOf(message: Message | undefined): string {
  if (!message) return "";
  if (typeof message.content === "string") return message.content;
  return message.content.map((block) => (block.type === "text" ? block.text : "")).join("");
}

function isImage(block: { type: string }): boolean {
  return block.type === "image";
}
