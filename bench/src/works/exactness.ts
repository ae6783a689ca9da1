/** The guarantees of a parser of arguments, checked one by one. */
import { isDeepStrictEqual } from "node:util";
import type { Client } from "../clients/client.ts";
import { offered } from "../not-offered.ts";
import type { Work } from "./measured.ts";

interface Parser {
  /** The value of a complete text that arrived in these pieces; rejects if it is incomplete. */
  read(pieces: readonly string[]): Promise<unknown>;
  /** The value shown after these pieces. */
  peek(pieces: readonly string[]): Promise<unknown>;
}

type Check = (parser: Parser) => Promise<boolean>;

const SAMPLE =
  '{"path":"a\\"b\\\\c","text":"\\u00e9\\ud83d\\ude00 x","list":[1,-2.5e3,true,null,{"k":[]}],"n":1234,"last":{"a":"b"}}';
const DEEP = "[".repeat(100_000);

export const CHECKS: Readonly<Record<string, Check>> = {
  "the value at the end is that of `JSON.parse`, for every cut in two": async ({ read }) => {
    const whole: unknown = JSON.parse(SAMPLE);
    return all(cuts(), async (at) => isDeepStrictEqual(await read([SAMPLE.slice(0, at), SAMPLE.slice(at)]), whole));
  },
  "the same, character by character": async ({ read }) =>
    isDeepStrictEqual(await read([...SAMPLE]), JSON.parse(SAMPLE)),
  "a string on the way is a beginning of the final one": async ({ peek }) => {
    const whole = JSON.parse(SAMPLE);
    return all(cuts(), async (at) => isBeginning(field(await peek([SAMPLE.slice(0, at)]), "text"), whole.text));
  },
  "half a surrogate pair is not shown": async ({ peek }) => {
    const shown = field(await peek(['{"text":"x\\ud83d']), "text");
    return shown === "x" || shown === undefined;
  },
  "half a literal is not shown": async ({ peek }) => field(await peek(['{"a":1,"b":tr']), "b") === undefined,
  "a number is not shown before it is whole": async ({ peek }) =>
    field(await peek(['{"a":1,"b":12']), "b") === undefined,
  "the text so far is shown at once, without waiting for more": async ({ peek }) =>
    field(await peek(['{"text":"Hel']), "text") === "Hel",
  "a raw line break in a string, which models write, is kept": async ({ read }) =>
    field(await read(['{"text":"a\nb"}']), "text") === "a\nb",
  "an unknown escape, which models write, keeps its characters": async ({ read }) =>
    field(await read(['{"text":"a\\d"}']), "text") === "a\\d",
  "a text that is cut off is rejected at its end": ({ read }) => rejects(read(['{"a":1,"b":"x'])),
  "text after the value is rejected": ({ read }) => rejects(read(['{"a":1} done'])),
  "`__proto__` is a key like any other": async ({ read }) =>
    Object.hasOwn(object(await read(['{"__proto__":{"x":1}}'])), "__proto__"),
  "100,000 open arrays neither overflow the stack nor are taken without bound": async ({ peek, read }) => {
    const shown = await peek([DEEP]).catch(() => undefined);
    return (await rejects(read([DEEP, "]".repeat(100_000)]))) && isPlain(shown);
  },
};

export const run: Work = async ({ client }) => {
  const parser = toParser(client);
  const checks: Record<string, boolean> = {};
  for (const [name, check] of Object.entries(CHECKS)) checks[name] = await check(parser).catch(() => false);
  return { value: Object.values(checks).filter(Boolean).length, checks };
};

function toParser(client: Client): Parser {
  const readPieces = offered(client.readPieces);
  return { read: (pieces) => readPieces(pieces, 1), peek: offered(client.peek) };
}

async function all(places: number[], check: (at: number) => Promise<boolean>): Promise<boolean> {
  for (const at of places) if (!(await check(at))) return false;
  return true;
}

const cuts = (): number[] => Array.from({ length: SAMPLE.length - 1 }, (_, index) => index + 1);

const object = (value: unknown): object => (typeof value === "object" && value !== null ? value : {});

function field(value: unknown, name: string): unknown {
  return Object.entries(object(value)).find(([key]) => key === name)?.[1];
}

function isBeginning(shown: unknown, whole: string): boolean {
  return shown === undefined || (typeof shown === "string" && whole.startsWith(shown));
}

/** Whether a recursive reader can traverse the value without a stack overflow. */
function isPlain(value: unknown): boolean {
  try {
    JSON.stringify(value);
    return true;
  } catch {
    return false;
  }
}

const rejects = (promise: Promise<unknown>): Promise<boolean> =>
  promise.then(
    () => false,
    () => true,
  );
