/**
 * Loads every target of `exports` and `imports` of installed packages in Node, as a program finds it, and as the file that
 * it is. What only browsers and workers load has to exist and to parse.
 */
import { execFile } from "node:child_process";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { transform } from "esbuild";

/** Stands for the conditions after `node`, which Node never reaches. */
const AFTER_NODE = "not node";
/** The conditions of runtimes without Node's modules. */
const NOT_NODE = new Set([
  AFTER_NODE,
  "browser",
  "worker",
  "workerd",
  "edge-light",
  "netlify",
  "react-native",
  "deno",
  "bun",
]);

interface Target {
  /** Such as `./route` or `#node/zlib`. */
  key: string;
  /** The conditions that lead to it, outermost first. */
  conditions: readonly string[];
  target: string;
}

/** Returns a line for each target that is broken. */
export async function findBrokenTargets(project: string, name: string): Promise<string[]> {
  const folder = join(project, "node_modules", name);
  const manifest = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  const named = [...walk(manifest.exports ?? {}), ...walk(manifest.imports ?? {})];
  const targets = await expandPatterns(folder, named);
  if (targets.length === 0) return [`${name} has no exports`];
  const broken: string[] = [];
  for (const target of targets) {
    const problem = await checkFile(folder, target);
    if (problem !== undefined) broken.push(`${name} ${describe(target)}: ${problem}`);
  }
  const problems = await Promise.all([load(folder, name, targets, "import"), load(folder, name, targets, "require")]);
  return [...broken, ...problems.flat().map((problem) => `${name} ${problem}`)];
}

function* walk(node: unknown, key = "", conditions: readonly string[] = []): Generator<Target> {
  if (typeof node === "string") yield { key, conditions, target: node };
  else if (Array.isArray(node)) for (const one of node) yield* walk(one, key, conditions);
  else if (typeof node === "object" && node !== null) {
    const names = Object.keys(node);
    for (const [index, [name, value]] of Object.entries(node).entries()) {
      const isAfter = names.indexOf("node") >= 0 && names.indexOf("node") < index;
      const deeper = [...conditions, name, ...(isAfter ? [AFTER_NODE] : [])];
      yield* /^[.#]/.test(name) ? walk(value, name) : walk(value, key, deeper);
    }
  }
}

/** Replaces each key with `*` by those that a file of one of its targets gives. */
async function expandPatterns(folder: string, targets: readonly Target[]): Promise<Target[]> {
  const files = (await readdir(folder, { recursive: true })).map((file) => `./${file}`);
  const namesOf = (pattern: string): string[] => {
    const [before = "", after = ""] = pattern.split("*");
    const found = files.filter((file) => file.startsWith(before) && file.endsWith(after));
    return found.map((file) => file.slice(before.length, file.length - after.length));
  };
  return targets.flatMap((target) => {
    if (!target.key.includes("*")) return [target];
    const siblings = targets.filter(({ key, target: path }) => key === target.key && path.includes("*"));
    const names = [...new Set(siblings.flatMap(({ target: path }) => namesOf(path)))];
    return names.map((name) => ({
      ...target,
      key: target.key.replace("*", name),
      target: target.target.replace("*", name),
    }));
  });
}

const describe = ({ key, conditions, target }: Target): string => `${key} [${conditions.join(" ")}] ${target}`;
const isFor = ({ conditions }: Target, names: ReadonlySet<string>): boolean =>
  conditions.some((condition) => names.has(condition));

/** What is wrong with the file of a target. */
async function checkFile(folder: string, target: Target): Promise<string | undefined> {
  const { key, target: path, conditions } = target;
  // Another package or a module of Node: loading it as the key decides.
  if (!path.startsWith("./"))
    return key.startsWith("#") && !path.includes(":") ? undefined : "is not a path in the package";
  const text = await readFile(join(folder, path), "utf8").catch(() => undefined);
  if (text === undefined) return "does not exist";
  if (conditions.includes("types")) return checkTypes(target);
  if (extname(path) === ".json") return void JSON.parse(text);
  const { code } = await transform(text, { format: extname(path) === ".cjs" ? "cjs" : "esm" }).catch((error) => error);
  return code === undefined ? "does not parse" : undefined;
}

/** Node reads `.d.ts` of these packages as ES modules, and `.d.cts` as CommonJS. */
function checkTypes({ target, conditions }: Target): string | undefined {
  const expected = conditions.includes("require") ? ".d.cts" : ".d.ts";
  return target.endsWith(expected) ? undefined : `does not end with ${expected}`;
}

/** Loads each key, and each file that is for Node, in one process. Node picks a file per key; the others are loaded by path. */
async function load(folder: string, name: string, targets: readonly Target[], way: "import" | "require") {
  const other = new Set([way === "import" ? "require" : "import", "types"]);
  const extensions = way === "import" ? [".js", ".mjs"] : [".cjs"];
  const own = targets.filter((target) => !isFor(target, other));
  const keys = [...new Set(own.map(({ key }) => key))].map((key) =>
    key.startsWith("#") ? key : key.replace(".", name),
  );
  const files = own
    .filter((target) => !isFor(target, NOT_NODE) && extensions.includes(extname(target.target)))
    .map(({ target }) => join(folder, target));
  const wanted = [...keys.filter((key) => !key.endsWith(".json")), ...files];
  // A file of the package, because only these may use its `imports`.
  const probe = join(folder, `targets-probe.${way === "import" ? "mjs" : "cjs"}`);
  await writeFile(probe, probeOf(wanted, way));
  try {
    const { stdout } = await promisify(execFile)(process.execPath, ["--no-warnings", probe]);
    return (JSON.parse(stdout) as [string, string][]).map(([what, problem]) => `${way} ${what}: ${problem}`); // as the probe prints it
  } finally {
    await rm(probe);
  }
}

function probeOf(wanted: readonly string[], way: "import" | "require"): string {
  const names = wanted.map((one) => (way === "import" && one.startsWith("/") ? pathToFileURL(one).href : one));
  return `(async () => {
    const problems = [];
    for (const name of ${JSON.stringify(names)})
      try { ${way === "import" ? "await import(name)" : "require(name)"}; }
      catch (error) { problems.push([name, String(error && error.code || "") + " " + String(error && error.message || error).split("\\n")[0]]); }
    process.stdout.write(JSON.stringify(problems));
  })();`;
}
