/** Tests how the demo asks outside of a conversation, and where its notes go. */
import { mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import type { AnyAgentTool } from "pi-agent";
import { expect, it } from "vitest";
import { readOneLine } from "../../examples/demo/src/requests.js";
import { createFolderTools } from "../../examples/demo/src/tools.js";

it.each([
  ["y\r", "y"],
  ["\r", ""],
  ["half\u0003", ""],
  ["\u0004", ""],
])("reads %j as %j", async (typed, line) => {
  const input = new PassThrough();
  const read = readOneLine(input, new PassThrough());
  input.write(typed);
  expect(await read).toBe(line);
});

it("saves new files in the folder only", async () => {
  const folder = await mkdtemp(join(tmpdir(), "pi-demo-notes-"));
  try {
    await symlink(join(tmpdir(), "pi-demo-elsewhere"), join(folder, "link"));
    const save = createFolderTools(folder).find(({ name }) => name === "save_note") as AnyAgentTool; // It is there.
    const note = (path: string) => save.execute("1", { path, text: "text" });
    await note("a.md");
    expect(await readFile(join(folder, "a.md"), "utf8")).toBe("text");
    for (const path of ["a.md", "link", "../b.md", "/b.md", "none/b.md", ".."])
      await expect(note(path)).rejects.toThrow();
  } finally {
    await rm(folder, { recursive: true });
  }
});
