/** Data as tools return it: records, tables, logs, patches, encoded bytes. */
import { createHash } from "node:crypto";

const WORDS =
  "order invoice customer warehouse shipment refund payment account session region status priority review".split(" ");
const NAMES = ["Ada Lindqvist", "Bruno Okafor", "Chen Wei", "Dalia Haddad", "Emil Novak", "Farah Siddiqui"];
const FILES = 6;

/** Several files of each form, form by form. Deterministic. */
export function generateData(): string[] {
  return FORMS.flatMap((create) => Array.from({ length: FILES }, (_, seed) => create(createRandom(seed), seed)));
}

const FORMS: readonly ((random: Random, seed: number) => string)[] = [
  (random) => JSON.stringify(createRecords(random)),
  (random) => JSON.stringify(createRecords(random), null, 2),
  (random) => toTable(createRecords(random)),
  (random) =>
    createRecords(random)
      .map((record) => toLogLine(record, random))
      .join("\n"),
  createSchema,
  (_, seed) => createBytes(seed).toString("hex"),
  (_, seed) => createBytes(seed).toString("base64"),
  createListing,
  createPatch,
];

function createRecords(random: Random): Row[] {
  return Array.from({ length: 40 }, () => createRecord(random));
}

interface Random {
  below(limit: number): number;
  pick<T>(list: readonly T[]): T | string;
}

function createRandom(seed: number): Random {
  let state = seed + 1;
  const below = (limit: number): number => {
    state = (state * 48_271) % 2_147_483_647;
    return state % limit;
  };
  return { below, pick: (list) => list[below(list.length)] ?? "" };
}

function createBytes(seed: number): Buffer {
  return Buffer.concat(
    Array.from({ length: 40 }, (_, index) => createHash("sha512").update(`${seed} ${index}`).digest()),
  );
}

type Row = Record<string, string | number | boolean>;

function createRecord({ below, pick }: Random): Row {
  return {
    id: createHash("md5")
      .update(`${below(1e9)}`)
      .digest("hex")
      .slice(0, 12),
    createdAt: new Date(1.7e12 + below(1e9) * 50).toISOString(),
    customerName: pick(NAMES),
    kind: `${pick(WORDS)}_${pick(WORDS)}`,
    amount: below(1e6) / 100,
    quantity: below(40),
    isPaid: below(2) === 0,
    url: `https://shop.example.com/${pick(WORDS)}s/${below(1e6)}`,
  };
}

function toTable(rows: readonly Row[]): string {
  return [Object.keys(rows[0] ?? {}).join(","), ...rows.map((row) => Object.values(row).join(","))].join("\n");
}

function toLogLine(row: Row, { below, pick }: Random): string {
  const level = pick(["INFO", "WARN", "ERROR", "DEBUG"]);
  return `${row["createdAt"]} ${level} [worker-${below(16)}] ${pick(WORDS)}.${pick(WORDS)}: took ${below(9000)} ms (id=${row["id"]}, ip=10.0.${below(256)}.${below(256)})`;
}

function createSchema({ below, pick }: Random): string {
  const tools = Array.from({ length: 8 }, () => ({
    name: `${pick(["get", "list", "create", "update"])}_${pick(WORDS)}`,
    description: `Returns the ${pick(WORDS)} of a ${pick(WORDS)}. Use it when the user asks about a ${pick(WORDS)}.`,
    parameters: {
      type: "object",
      properties: {
        [`${pick(WORDS)}Id`]: { type: "string", description: `The id of the ${pick(WORDS)}` },
        limit: { type: "integer", minimum: 1, maximum: below(500) },
        order: { type: "string", enum: ["ascending", "descending"] },
      },
      required: ["limit"],
    },
  }));
  return JSON.stringify(tools);
}

function createListing({ below, pick }: Random): string {
  const line = (): string =>
    `-rw-r--r--  1 root root ${String(below(90_000)).padStart(8)} Mar ${1 + below(28)} ${10 + below(13)}:${10 + below(49)} src/${pick(WORDS)}/${pick(WORDS)}-${pick(WORDS)}.ts`;
  return Array.from({ length: 50 }, line).join("\n");
}

function createPatch({ below, pick }: Random): string {
  const hunk = (): string => {
    const [name, value] = [pick(WORDS), pick(WORDS)];
    return `@@ -${below(400)},3 +${below(400)},3 @@\n   const ${name} = await load(${value});\n-  return ${name}.filter((item) => item.${value} > ${below(90)});\n+  return ${name}.filter((item) => item.${value} >= ${below(90)} && !item.isClosed);\n`;
  };
  return Array.from({ length: 20 }, hunk).join("");
}
