import { describe, expect, it } from "vitest";
import { nextResponse } from "../../examples/demo/src/scripted-model.js";
import type { WireRequestBody } from "../../examples/demo/src/scripted-request.js";

type Messages = NonNullable<WireRequestBody["messages"]>;

const ask = (text: string): Messages => [{ role: "user", content: [{ type: "text", text }] }];

/** Runs the tools until the script is complete. */
function respond(messages: Messages, tools: Record<string, string>): string {
  for (let round = 0; round < 5; round++) {
    const { text, calls } = nextResponse({ messages });
    if (calls.length === 0) return text;
    const uses = calls.map(({ id, name, input }) => ({ type: "tool_use", id, name, input }));
    const results = calls.map(({ id, name }) => ({
      type: "tool_result",
      tool_use_id: id,
      content: tools[name] ?? "no such tool",
    }));
    messages.push({ role: "assistant", content: uses }, { role: "user", content: results });
  }
  throw new Error("The script does not end");
}

const TOOLS = {
  list_files: "README.md\nsrc/weather.ts",
  read_file: "# Weather\nForecasts for cities.",
  search_text: "src/weather.ts:3: export function getForecast() {",
};

describe("the scripted model", () => {
  it("responds with the results of the tools, and says that it is a script", () => {
    const text = respond(ask("Where is getForecast defined?"), TOOLS);
    expect(text).toContain('"getForecast" occurs 1 times in 1 file');
    expect(text).toContain("src/weather.ts:3");
    expect(text).toContain("I am a script, not a model");
  });

  it("reads the file that the question names", () => {
    const { calls } = nextResponse({
      messages: [
        ...ask("What does weather.ts do?"),
        { role: "assistant", content: [{ type: "tool_use", id: "a", name: "list_files", input: {} }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: TOOLS.list_files }] },
      ],
    });
    expect(calls[0]).toMatchObject({ name: "read_file", input: { path: "src/weather.ts" } });
  });

  it("describes the folder only if the question is about files", () => {
    expect(respond(ask("What files are here?"), TOOLS)).toContain("The folder holds 2 files");
    expect(respond(ask("Where is getForecast?"), TOOLS)).not.toContain("The folder holds");
  });

  it("handles an empty folder", () => {
    expect(respond(ask("What is here?"), { list_files: "(no files)" })).toContain("holds no files");
  });

  it("greets without tools", () => {
    expect(nextResponse({ messages: ask("hello") })).toMatchObject({ calls: [] });
  });

  it("responds to a new question, and reads again", () => {
    const messages = ask("Where is getForecast?");
    respond(messages, TOOLS);
    messages.push({ role: "assistant", content: "Done." }, ...ask("And where is parseCity?"));
    expect(nextResponse({ messages }).calls).toMatchObject([{ name: "list_files" }]);
  });

  it("follows a steering message that arrives together with tool results", () => {
    const text = respond(
      [
        ...ask("Where is getForecast?"),
        { role: "assistant", content: [{ type: "tool_use", id: "a", name: "list_files", input: {} }] },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "a", content: TOOLS.list_files },
            { type: "text", text: "No, where is parseCity?" },
          ],
        },
      ],
      { ...TOOLS, search_text: "(nothing)" },
    );
    expect(text).toContain('"parseCity" does not occur');
  });
});
