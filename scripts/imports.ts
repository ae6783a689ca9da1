/** The imports of a source file, as the formatter lays them out. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";

/** An import, or an export of what another module holds. */
export interface Import {
  specifier: string;
  /** `static` and `dynamic` load the module; the compiler removes `type`. */
  kind: "static" | "type" | "dynamic";
  /** What is named of it, without types beside values; undefined for the whole module. */
  names: readonly string[] | undefined;
}

const STATEMENT =
  /^(?:import|export) (?<type>type )?(?:(?:\{(?<names>[^}]*)\}|\*(?: as \w+)?|\w+)(?:, \{[^}]*\})? from )?"(?<specifier>[^"]+)"/gm;
const CALL = /(?<type>typeof )?\bimport\(\s*"(?<specifier>[^"]+)"\s*\)/g;

/** The text of another program. */
const TEMPLATE = /(?<=[=(:,?]\s*)`[^`]*`/g;

/** Lists the imports in the text of a module. */
export function listImports(text: string): Import[] {
  const statements = Array.from(text.replaceAll(TEMPLATE, "").matchAll(STATEMENT), ({ groups = {} }): Import => {
    const { specifier = "", type, names } = groups;
    const all = names?.split(",").flatMap((name) => name.trim() || []);
    const values = all?.filter((name) => !name.startsWith("type "));
    if (type || values?.length === 0) return { specifier, kind: "type", names: all?.map(nameOf) };
    return { specifier, kind: "static", names: values?.map(nameOf) };
  });
  const calls = Array.from(text.matchAll(CALL), ({ groups = {} }): Import => {
    return { specifier: groups["specifier"] ?? "", kind: groups["type"] ? "type" : "dynamic", names: undefined };
  });
  return [...statements, ...calls];
}

/** The name in the module that is imported from: `a` of `type a as b`. */
function nameOf(text: string): string {
  return text.replace(/^type /, "").replace(/ as .*/, "");
}

/** A file that another one imports. */
export interface ImportedFile {
  file: string;
  kind: Import["kind"];
}

/** The source files that a file imports by relative paths. */
export function listImportedFiles(file: string): ImportedFile[] {
  return importsOf(file).map(({ file: found, kind }) => ({ file: found, kind }));
}

const known = new Map<string, (ImportedFile & Pick<Import, "names">)[]>();

function importsOf(file: string): (ImportedFile & Pick<Import, "names">)[] {
  const found = known.get(file);
  if (found) return found;
  const imports = listImports(readFileSync(file, "utf8")).flatMap(({ specifier, kind, names }) => {
    const path = resolve(dirname(file), specifier).replace(/\.js$/, ".ts");
    return specifier.startsWith(".") && existsSync(path) ? [{ file: path, kind, names }] : [];
  });
  known.set(file, imports);
  return imports;
}

/**
 * The files and all that they load statically. An `index.ts` only names what other files hold: of these, the ones that
 * are asked for by name.
 *
 * @param isApart names files that are left out, with what only they load
 */
export function reachFrom(files: readonly string[], isApart: (file: string) => boolean = () => false): Set<string> {
  const reached = new Set(files);
  // Iterating a set also visits elements that are added on the way.
  for (const file of reached) {
    for (const { file: found, kind, names } of importsOf(file)) {
      if (kind !== "static") continue;
      for (const source of throughDoor(found, names)) if (!isApart(source)) reached.add(source);
    }
  }
  return reached;
}

function throughDoor(file: string, names: Import["names"]): string[] {
  return names ? [...new Set(names.map((name) => sourceOf(file, name)))] : [file];
}

/** The file that holds what a file exports by this name, if the file is an `index.ts` that only names it. */
export function sourceOf(file: string, name: string): string {
  if (!file.endsWith("/index.ts")) return file;
  const source = importsOf(file).find(({ names }) => names?.includes(name));
  return source ? sourceOf(source.file, name) : file;
}

const THROUGH_INDEX = /^(?<word>import|export) \{(?<names>[^}]*)\} from "(?<specifier>\.[^"]*\/index\.js)";/gm;

/**
 * The text of a file without imports by an `index.ts`: each name comes from the file that holds it. A bundler that finds
 * these files elsewhere would otherwise keep the `index.ts` itself. Lines stay where they are.
 */
export function passDoors(text: string, file: string): string {
  return text.replaceAll(THROUGH_INDEX, (statement, word: string, names: string, specifier: string) => {
    const index = resolve(dirname(file), specifier).replace(/\.js$/, ".ts");
    const listed = names.split(",").flatMap((name) => name.trim() || []);
    const bySource = Map.groupBy(
      listed.filter((name) => !name.startsWith("type ")),
      (name) => sourceOf(index, nameOf(name)),
    );
    const statements = Array.from(bySource, ([source, parts]) => {
      const path = relative(dirname(file), source).replaceAll("\\", "/").replace(/\.ts$/, ".js");
      return `${word} { ${parts.join(", ")} } from "${path.startsWith(".") ? path : `./${path}`}";`;
    });
    return statements.join(" ") + "\n".repeat(statement.split("\n").length - 1);
  });
}
