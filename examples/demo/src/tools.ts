/** Tools for one folder. They never reach outside of it, and never return more than a model can use. */
import { readdir, readFile, realpath, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import type { AgentTool, AnyAgentTool } from "pi-agent";
import { Type } from "pi-ai";

const SKIPPED: ReadonlySet<string> = new Set([".git", "node_modules", "dist", "coverage"]);
const MAX_FILES = 2000;
const MAX_LINES = 200;
const MAX_MATCHES = 50;
const MAX_FILE_BYTES = 512 * 1024;
const MAX_NOTE_LENGTH = 20_000;

const text = (value: string): { content: { type: "text"; text: string }[]; details: undefined } => ({
  content: [{ type: "text", text: value }],
  details: undefined,
});

export function createFolderTools(folder: string): AnyAgentTool[] {
  const root = resolve(folder);
  return [createListTool(root), createReadTool(root), createSearchTool(root), createSaveTool(root)];
}

const ListParameters = Type.Object({
  path: Type.String({ description: 'A folder, relative to the root. The root itself is ".".' }),
});

function createListTool(root: string): AgentTool<typeof ListParameters> {
  return {
    name: "list_files",
    label: "List files",
    description: "Lists the files below a folder, one path a line.",
    parameters: ListParameters,
    execute: async (_id, { path }, signal) => {
      const files: string[] = [];
      for await (const file of walk(await inside(root, path), signal)) files.push(relative(root, file));
      return text(files.join("\n") || "(no files)");
    },
  };
}

const ReadParameters = Type.Object({
  path: Type.String({ description: "A file, relative to the root." }),
  from: Type.Optional(Type.Integer({ minimum: 1, description: "First line. Default 1." })),
});

function createReadTool(root: string): AgentTool<typeof ReadParameters> {
  return {
    name: "read_file",
    label: "Read a file",
    description: `Reads up to ${MAX_LINES} lines of a text file.`,
    parameters: ReadParameters,
    execute: async (_id, { path, from = 1 }, signal) => {
      const lines = (await readText(await inside(root, path), signal)).split("\n");
      const shown = lines.slice(from - 1, from - 1 + MAX_LINES).join("\n");
      const left = lines.length - (from - 1 + MAX_LINES);
      return text(left > 0 ? `${shown}\n(${left} more lines)` : shown);
    },
  };
}

const SearchParameters = Type.Object({
  text: Type.String({ minLength: 1, description: "The exact text to look for." }),
});

function createSearchTool(root: string): AgentTool<typeof SearchParameters> {
  return {
    name: "search_text",
    label: "Search text",
    description: `Finds a text in all files. Returns path, line number and line, up to ${MAX_MATCHES}.`,
    parameters: SearchParameters,
    execute: async (_id, { text: wanted }, signal, onUpdate) => {
      const matches: string[] = [];
      let files = 0;
      for await (const file of walk(root, signal)) {
        if (++files % 50 === 0) onUpdate?.(text(`${files} files searched`));
        matches.push(...(await findInFile(root, file, wanted, signal)));
        if (matches.length >= MAX_MATCHES) break;
      }
      return text(matches.slice(0, MAX_MATCHES).join("\n") || `"${wanted}" does not occur in ${files} files`);
    },
  };
}

const SaveParameters = Type.Object({
  path: Type.String({ description: "A new file, relative to the root." }),
  text: Type.String({ maxLength: MAX_NOTE_LENGTH, description: "What the file holds." }),
});

/** Whoever gives this tool to an agent lets a person approve its calls. */
function createSaveTool(root: string): AgentTool<typeof SaveParameters> {
  return {
    name: "save_note",
    label: "Save a note",
    description: "Saves a text as a new file. Never changes a file that exists. The user is asked first.",
    parameters: SaveParameters,
    execute: async (_id, { path, text: note }) => {
      const folder = await inside(root, dirname(path));
      // `wx` fails for whatever is there already, links included.
      await writeFile(join(folder, basename(path)), note, { flag: "wx" });
      return text(`Saved ${path}`);
    },
  };
}

async function findInFile(
  root: string,
  file: string,
  wanted: string,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  const content = await readText(file, signal).catch(() => "");
  const lines = content.split("\n").map((line, index) => ({ line, place: `${relative(root, file)}:${index + 1}` }));
  return lines
    .filter(({ line }) => line.includes(wanted))
    .map(({ line, place }) => `${place}: ${line.trim().slice(0, 200)}`);
}

/** Returns the real path of something in the folder. Throws if it is outside, for example because of a link. */
async function inside(root: string, path: string): Promise<string> {
  const real = await realpath(resolve(root, path));
  const realRoot = await realpath(root);
  if (real !== realRoot && !real.startsWith(realRoot + sep)) throw new Error(`${path} is outside of the folder`);
  return real;
}

async function readText(path: string, signal: AbortSignal | undefined): Promise<string> {
  const { size } = await stat(path);
  if (size > MAX_FILE_BYTES) throw new Error(`The file has ${size} bytes, more than ${MAX_FILE_BYTES}`);
  return readFile(path, { encoding: "utf8", ...(signal ? { signal } : {}) });
}

/** The files below a folder, level by level, in the order of their names. */
async function* walk(folder: string, signal: AbortSignal | undefined): AsyncGenerator<string> {
  const folders = [folder];
  let found = 0;
  for (const current of folders) {
    signal?.throwIfAborted();
    const entries = (await readdir(current, { withFileTypes: true })).filter(({ name }) => !SKIPPED.has(name));
    entries.sort((a, b) => a.name.localeCompare(b.name));
    folders.push(...entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(current, name)));
    for (const entry of entries) {
      if (!entry.isFile()) continue;
      if (++found > MAX_FILES) return;
      yield join(current, entry.name);
    }
  }
}
