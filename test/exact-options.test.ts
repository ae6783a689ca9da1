/**
 * Under `exactOptionalPropertyTypes`, every option takes `undefined`, so that a program can write `apiKey: process.env.KEY`. The names
 * of the types are read from the declarations of both packages; `tsc` checks the file that is written from them.
 */
import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { expect, test } from "vitest";

const ROOT = resolve(import.meta.dirname, "..");
/** What callers write. A result, an event or a message says by a property that is missing that there is nothing. */
const IS_INPUT =
  /(?:Options|Config|Settings|Limits|Input|Hooks|Clock|InitialState|Budgets?|Management|Definition|Pace)$/;
/** Names that end like options and are none, with the reason. */
const EXEMPT: Readonly<Record<string, string>> = {
  AgentMessageInput: "a message: a fact that is missing is no fact",
  MessageInput: "as above",
  AgentToolDefinition: "a tool, which has the fields of AgentTool",
  FauxModelDefinition: "a model, as above",
  RunHooks: "methods of a middleware",
};

interface Declared {
  /** What an importer writes after the name, such as `<any>`. */
  parameters: string;
}

/** The types that a module exports, by name, through all files that it exports from. */
function exportsOf(file: string, seen = new Set<string>()): Map<string, Declared> {
  const found = new Map<string, Declared>();
  if (seen.has(file)) return found;
  seen.add(file);
  const code = readFileSync(file, "utf8");
  for (const [, name = "", parameters] of code.matchAll(/^export (?:interface|type) (\w+)(<[^=>]*>)?/gm))
    found.set(name, {
      parameters: parameters
        ? `<${parameters
            .split(",")
            .map(() => "any")
            .join(", ")}>`
        : "",
    });
  for (const [, list, module = ""] of code.matchAll(/^export (?:type )?(?:\*|\{([^}]*)\}) from "(\.[^"]*)"/gm)) {
    const inner = exportsOf(join(dirname(file), module.replace(/\.js$/, ".ts")), list ? new Set() : seen);
    const names =
      list?.split(",").map((part) =>
        part
          .trim()
          .replace(/^type /, "")
          .split(" as "),
      ) ?? [];
    const chosen = list === undefined ? [...inner.keys()].map((name) => [name]) : names;
    for (const [name = "", as = name] of chosen) {
      const declared = inner.get(name);
      if (declared) found.set(as, declared);
    }
  }
  return found;
}

/** The entries of a package and their source files. */
function entriesOf(folder: string): [entry: string, file: string][] {
  const { compilerOptions } = JSON.parse(readFileSync(join(ROOT, "tsconfig.sources.json"), "utf8"));
  const paths: [string, [string]][] = Object.entries(compilerOptions.paths);
  return paths
    .filter(([name]) => name === folder || name.startsWith(`${folder}/`))
    .map(([name, [path]]) => [name, join(ROOT, path)]);
}

function write(): string {
  const lines: string[] = [];
  const checks: string[] = [];
  const listed = new Set<string>();
  for (const [entry, file] of ["pi-ai", "pi-agent"].flatMap(entriesOf)) {
    const names = [...exportsOf(file)].filter(([name]) => IS_INPUT.test(name) && !EXEMPT[name] && !listed.has(name));
    if (names.length === 0) continue;
    for (const [name, { parameters }] of names) {
      listed.add(name);
      checks.push(`  None<Refusing<${name}${parameters}>>,`);
    }
    lines.push(
      `import type { ${names
        .map(([name]) => name)
        .sort()
        .join(", ")} } from "${entry}";`,
    );
  }
  return `${HEAD}${lines.join("\n")}\n${HELP}\nexport type AllTakeUndefined = [\n${checks.sort().join("\n")}\n];\n`;
}

const HEAD =
  "/** Written by test/exact-options.test.ts (`npx vitest run -u exact-options`). `tsc` fails if an option refuses `undefined`. */\n";
const HELP = `
/** The optional properties of a type that refuse \`undefined\`. */
type Refusing<TOptions> = TOptions extends object
  ? { [TName in keyof TOptions]-?: object extends Pick<TOptions, TName> ? (undefined extends Required<TOptions>[TName] ? never : TName) : never }[keyof TOptions]
  : never;

/** Compiles only without a name. */
type None<TNames extends never> = TNames;
`;

test("every option takes undefined", async () => {
  await expect(write()).toMatchFileSnapshot("exact-options.generated.ts");
});
