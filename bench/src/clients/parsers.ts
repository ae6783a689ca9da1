/** Two parsers of JSON in pieces that similar packages use. */
import type { CreateClient } from "./client.ts";

type ParseStream = (input: AsyncIterable<string>) => AsyncIterable<unknown>;
type ParsePartial = (text: string) => unknown;

/** Returns the growing value itself, so reading it at a piece costs nothing more. */
export const createJsonriverClient: CreateClient = (load) => ({
  importRoot: () => load("jsonriver"),
  readPieces: async (pieces) => {
    const { parse } = (await load("jsonriver")) as { parse: ParseStream }; // what the package exports
    let value: unknown;
    for await (const shown of parse(toStream(pieces))) value = shown;
    return value;
  },
  peek: async (pieces) => {
    const { parse } = (await load("jsonriver")) as { parse: ParseStream }; // what the package exports
    let drained = (): void => {};
    const asksForMore = new Promise<undefined>((resolve) => {
      drained = () => resolve(undefined);
    });
    const values = parse(toEndlessStream(pieces, drained))[Symbol.asyncIterator]();
    let value: unknown;
    for (;;) {
      const shown = await Promise.race([values.next(), asksForMore]);
      if (!shown || shown.done) return value;
      value = shown.value;
    }
  },
});

/** Parses the whole text each time. */
export const createPartialJsonClient: CreateClient = (load) => ({
  importRoot: () => load("partial-json"),
  readPieces: async (pieces, every) => {
    const { parse } = (await load("partial-json")) as { parse: ParsePartial }; // what the package exports
    let text = "";
    for (const [index, piece] of pieces.entries()) {
      text += piece;
      if (index % every === 0) parse(text);
    }
    return parse(text);
  },
  peek: async (pieces) => ((await load("partial-json")) as { parse: ParsePartial }).parse(pieces.join("")), // what it exports
});

async function* toStream(pieces: readonly string[]): AsyncGenerator<string> {
  yield* pieces;
}

/** An unfinished text that never ends: `drained` is called when all pieces were read. */
async function* toEndlessStream(pieces: readonly string[], drained: () => void): AsyncGenerator<string> {
  yield* pieces;
  drained();
  await new Promise(() => {});
}
