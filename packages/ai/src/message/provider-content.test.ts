import { describe, expect, it } from "vitest";
import { playBuilder as run, typesOf } from "../../test/support/play-builder.js";

describe("AssistantMessageBuilder: server tools", () => {
  it("streams the input, stays open beside later blocks, and ends with its result", () => {
    const { events, message } = run((builder) => {
      builder.open("use", { type: "serverTool", id: "srv_1", name: "web_search" });
      builder.append("use", '{"query":');
      builder.append("use", '"cats"}');
      builder.open("text", { type: "text" });
      builder.append("text", "Searching");
      builder.patch("use", { status: "done", output: { sources: [{ url: "https://a.test" }] }, signature: "[]" });
      builder.close("use");
    });
    expect(typesOf(events)).toEqual([
      "start",
      "servertool_start 0",
      "servertool_update 0",
      "servertool_update 0",
      "text_start 1",
      "text_delta 1",
      "servertool_update 0",
      "servertool_end 0",
      "text_end 1",
      "done",
    ]);
    expect(message.content[0]).toEqual({
      type: "serverTool",
      id: "srv_1",
      name: "web_search",
      status: "done",
      input: { query: "cats" },
      output: { sources: [{ url: "https://a.test" }] },
      signature: "[]",
    });
    expect(message.stopReason).toBe("stop");
  });

  it("shows the input so far while it streams", () => {
    const seen: unknown[] = [];
    run((builder) => {
      builder.open(0, { type: "serverTool", id: "a", name: "code" });
      for (const piece of ['{"code":"pri', 'nt(1)"', "}"]) {
        builder.append(0, piece);
        builder.patch(0, { status: "running" });
      }
    }).events.forEach((event) => {
      if (event.type === "servertool_end") seen.push(event.serverTool.input);
    });
    expect(seen).toEqual([{ code: "print(1)" }]);
  });

  it("waits for the application: the response ends with toolUse", () => {
    const { message } = run((builder) => {
      builder.open(0, { type: "serverTool", id: "call_1", name: "shell", status: "waiting", input: { command: "ls" } });
      builder.stop("stop");
    });
    expect(message.stopReason).toBe("toolUse");
    expect(message.content).toMatchObject([{ status: "waiting", input: { command: "ls" } }]);
  });

  it("runs on after a pause, and has failed after an error", () => {
    const paused = run((builder) => {
      builder.open(0, { type: "serverTool", id: "a", name: "web_search" });
      builder.stop("pause");
    }).message;
    expect(paused).toMatchObject({ stopReason: "pause", content: [{ status: "running" }] });
    const failed = run((builder) => {
      builder.open(0, { type: "serverTool", id: "a", name: "web_search" });
      builder.fail({ reason: "aborted", errorMessage: "Request was aborted", error: { kind: "aborted" } });
    }).message;
    expect(failed).toMatchObject({ stopReason: "aborted", content: [{ status: "failed" }] });
  });

  it("takes no field of the wrong type, and no prototype from an input", () => {
    const { message } = run((builder) => {
      builder.open(0, { type: "serverTool", id: "a", name: "b" });
      // A mapping may pass on anything that a server sends.
      builder.patch(0, { status: "odd", input: "text", errorText: 7 } as object);
      builder.append(0, '{"__proto__":{"polluted":true}}');
    });
    expect(message.content).toMatchObject([{ status: "running" }]);
    expect(Reflect.get({}, "polluted")).toBeUndefined();
  });
});

describe("AssistantMessageBuilder: blocks that come whole", () => {
  it("emits one event for an image, a file and a compaction, and continues the text after them", () => {
    const { events, message } = run((builder) => {
      builder.open("text", { type: "text" });
      builder.append("text", "a");
      builder.open("image", { type: "image", data: "AAAA", mimeType: "image/png" });
      builder.append("text", "b");
      builder.open("file", { type: "file", mimeType: "text/csv", fileId: "file_1", name: "a.csv" });
      builder.open("summary", { type: "compaction", text: "So far", signature: "[]" });
    });
    expect(typesOf(events).filter((name) => !name.startsWith("text"))).toEqual([
      "start",
      "file_end 1",
      "file_end 3",
      "compaction_end 4",
      "done",
    ]);
    expect(message.content).toEqual([
      { type: "text", text: "a" },
      { type: "image", data: "AAAA", mimeType: "image/png" },
      { type: "text", text: "b" },
      { type: "file", mimeType: "text/csv", fileId: "file_1", name: "a.csv" },
      { type: "compaction", text: "So far", signature: "[]" },
    ]);
  });
});

describe("AssistantMessageBuilder: citations", () => {
  it("adds them to open and to closed texts, and to nothing else", () => {
    const { events, message } = run((builder) => {
      builder.open("text", { type: "text" });
      builder.cite("text", { url: "https://a.test" });
      builder.append("text", "Hello");
      builder.close("text");
      builder.cite("text", { url: "https://b.test", start: 0, end: 5 });
      builder.cite("missing", { url: "https://c.test" });
    });
    expect(typesOf(events).filter((name) => name.startsWith("citation"))).toEqual(["citation 0", "citation 0"]);
    expect(message.content).toEqual([
      {
        type: "text",
        text: "Hello",
        citations: [{ url: "https://a.test" }, { url: "https://b.test", start: 0, end: 5 }],
      },
    ]);
  });
});

describe("the positions of a citation", () => {
  it.each([
    ["that arrives before the end of the text", true],
    ["that arrives after it", false],
  ])("%s lie in the text", (_, isBefore) => {
    const { message } = run((builder) => {
      builder.open(0, { type: "text" });
      builder.append(0, "Short.");
      if (!isBefore) builder.close(0);
      builder.cite(0, { url: "https://a.test", start: 2, end: 90 });
      builder.cite(0, { url: "https://b.test", start: 70, end: -5 });
      builder.close(0);
    });
    expect(message.content).toMatchObject([
      {
        citations: [
          { start: 2, end: 6 },
          { start: 0, end: 0 },
        ],
      },
    ]);
  });
});
