/** A scripted model that needs no network. A few words in the prompt select its response. */
import {
  type AssistantMessage,
  type Context,
  fauxAssistantMessage,
  fauxFile,
  fauxImage,
  fauxServerTool,
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

/** A PNG of a bar chart, in base64. */
const CHART =
  "iVBORw0KGgoAAAANSUhEUgAAAPAAAABaCAMAAACxDCsoAAAABlBMVEX39/UkVsSp8OjxAAAAgklEQVR42u3YsREAIAgEQey/aStwTFCR2UuJ9kMiJEmS1LyxCBgYGBgYGBgYGBgYuDd4BwIGBgYGBgauC/5uEGBgYGBgYGDgay8YYGBgYGBg4L7g9EGAgYGBgYGBgdPApxcEBgYGLgWufgcGBgYGBgYGBgYGBgYGBgYGBgYGBgZ+AZ54+CCJ0iVWlgAAAABJRU5ErkJggg==";

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
  if (/\bpay\b/i.test(asked)) {
    return fauxAssistantMessage([fauxText("I pay 20 euros."), fauxToolCall("pay", { euros: 20 })]);
  }
  if (/\bpizza\b/i.test(asked)) return fauxAssistantMessage([fauxToolCall("order_pizza", { kind: "Margherita" })]);
  if (/\bsearch\b/i.test(asked)) return respondWithSources();
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

/** What a provider with tools of its own returns. */
function respondWithSources(): AssistantMessage {
  const standard = { url: "https://html.spec.whatwg.org/multipage/server-sent-events.html", title: "HTML Standard" };
  const guide = { url: "https://developer.mozilla.org/docs/Web/API/Streams_API", title: "Streams API" };
  const code = 'events = ["start", "text_delta", "done"]\nprint(len(events))';
  return fauxAssistantMessage([
    fauxServerTool("web_search", { query: "server-sent events" }, { output: { sources: [standard, guide] } }),
    fauxServerTool("code_execution", { code }, { output: { stdout: "3" } }),
    fauxServerTool("web_fetch", { url: "https://example.com/gone" }, { status: "failed", errorText: "Not found" }),
    fauxText("A server can **push events** over one response, and a page reads them as a stream.", [
      { ...standard, start: 0, end: 25 },
      guide,
      // Only addresses of the web become links.
      { url: "javascript:alert(1)", title: "A script" },
    ]),
    fauxImage(CHART),
    fauxFile("events.csv", { mimeType: "text/csv" }),
  ]);
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
