/** Which folder of the packages may import which, and by which file. `packages/ai/test/layers.test.ts` checks every import. */
import { dirname, join } from "node:path/posix";
import { type Import, listImports } from "../../../scripts/imports.ts";

/**
 * A folder of `src`, and what its files and those of its subfolders may import beside each other: folders, and files of
 * `src` or of a folder. The files of `src` itself may import everything: entries, and what all folders share, such as `settings.ts`.
 */
const LAYERS = `
ai/types          message/response-stream
ai/utils          types errors version
ai/wire           utils errors
ai/message        types utils errors wire
ai/vendor
ai/catalogue      types utils errors models.generated
ai/transport      utils errors wire catalogue vendor
ai/request        types utils errors wire catalogue transport vendor
ai/driver         types utils errors wire message catalogue transport request api-registry
ai/providers      types utils errors wire message catalogue transport request driver api-registry version
ai/tokens         types utils errors message catalogue transport request driver providers/built-in-apis.generated
ai/list-models    types utils errors catalogue transport models
ai/middleware     types utils errors message catalogue transport request driver tokens stream
ai/object         types utils errors wire message catalogue request providers/register-builtins stream
ai/server         types utils errors wire message catalogue request tokens vendor providers/register-builtins stream models
ai/oauth          types utils errors transport
ai/testing        types utils errors message transport request driver providers/options-by-api.generated middleware api-registry
agent/types
agent/apis        types
agent/pause       types is-equal errors tool-result checks
agent/loop        types checks errors abort-gate tool-result settings check-tools pause repeated-rounds side-usage
agent/state       types checks abort-gate settings check-tools loop apis pause
agent/stores      types plain-value checks pause
agent/middleware  types plain-value repeated-rounds checks errors abort-gate settings run-tool-call loop stores apis pause
agent/tools       types plain-value is-equal checks schema-faults settings middleware pause
agent/serve       types checks stores pause
agent/embed       types checks
inspect/record
inspect/read      record
inspect/fork      record read
inspect/live      record read
inspect/server    record fork
inspect/page      record fork server
`;

/** A folder is entered by its `index.ts`, or by that of the folder above. The files that others may import beside it, and why. */
const SECOND_DOORS = `
ai/types/*                                one concept a file
ai/utils/*                                one family of helpers a file
ai/utils/*/*                              modules of Node and their stand-ins
ai/message/response-stream                types name the streams; an index would make a cycle
ai/vendor/*                               one package of others a file, each a file of the build
ai/transport/sdk/*                        one SDK a file; with an index, published types would name the types of every SDK
ai/driver/watch/*                         what an inspector needs is a file of its own, which is loaded when one watches
ai/providers/*                            loaders and tables; what an adapter needs of them is beside its folder
ai/request/changes/place-changes          few conversations have changes; loaded late
ai/request/handoff/same-model             what is placed depends on whose response comes before, too
ai/middleware/cache-break     a script in a test finds breaks of the cache, too
agent/types/*                             one concept a file
agent/apis/built-in                       the platform chooses between it and the file beside it
agent/stores/session/*                    durable runs keep their journal in the same lines; none of it is public
agent/stores/events/*                     what publishes and stops a run is not public
agent/serve/sse/event-response            the other formats send it, too; not public
inspect/*/*                               a package without entries of its folders
`;

/** Folders whose subfolders do not know each other: an adapter shares code by a file beside them. */
const APART = ["ai/providers"];

/** The packages and modules of Node that each package may not import by name. */
const FORBIDDEN_NAMES: Readonly<Record<string, RegExp>> = {
  ai: /^pi-/,
  agent: /^pi-(?:agent|inspect)/,
  inspect: /^pi-/,
  "inspect/page": /^(?:pi-|node:)/,
};

/** What each folder may import. */
export const layers: ReadonlyMap<string, readonly string[]> = new Map(
  readLines(LAYERS).map((line) => {
    const [folder = "", ...targets] = line.split(/\s+/);
    return [folder, targets];
  }),
);

export const secondDoors: readonly string[] = readLines(SECOND_DOORS).map((line) => line.split(/\s+/)[0] ?? "");

function readLines(table: string): string[] {
  return table.trim().split("\n");
}

/** An import that breaks a rule. */
export interface Violation {
  rule: "folder" | "door" | "name" | "package" | "apart";
  file: string;
  specifier: string;
}

/**
 * The imports of a file that break a rule.
 *
 * @param file the path below `packages`, without `src`: `ai/wire/sse.ts`
 */
export function findViolations(file: string, text: string): Violation[] {
  return listImports(text).flatMap((found) => {
    const rule = brokenRule(file, found);
    return rule ? [{ rule, file, specifier: found.specifier }] : [];
  });
}

function brokenRule(file: string, { specifier, kind }: Import): Violation["rule"] | undefined {
  const [name = "", folder = ""] = file.split("/");
  if (!specifier.startsWith(".")) return isForbidden(specifier, name, `${name}/${folder}`) ? "name" : undefined;
  const target = join(dirname(file), specifier).replace(/\.js$/, "");
  if (!target.startsWith(`${name}/`)) return "package";
  // The entries of the package.
  if (dirname(file) === name) return undefined;
  if (!target.startsWith(`${name}/${folder}/`) && !mayImport(`${name}/${folder}`, target)) return "folder";
  if (isApart(file, target)) return "apart";
  // A literal `import()` loads one file, and what is generated from the table of apis names each of them.
  return kind === "dynamic" || file.includes(".generated.") || isDoor(file, target) ? undefined : "door";
}

function isForbidden(specifier: string, name: string, folder: string): boolean {
  return [FORBIDDEN_NAMES[name], FORBIDDEN_NAMES[folder]].some((names) => names?.test(specifier));
}

function mayImport(folder: string, target: string): boolean {
  const name = dirname(folder);
  return (layers.get(folder) ?? []).some((allowed) => `${target}/`.startsWith(`${name}/${allowed}/`));
}

function isApart(file: string, target: string): boolean {
  return APART.some((folder) => {
    const [own, other] = [file, target].map((path) => path.slice(folder.length + 1).split("/"));
    const isInside = file.startsWith(`${folder}/`) && target.startsWith(`${folder}/`);
    return isInside && own?.length === 2 && other?.length === 2 && own[0] !== other[0];
  });
}

/**
 * Whether a file may be imported from outside of its folder: from beside the folder, everything above is open. The files
 * beside a subfolder see into it, so that the index of the folder above can name what others use of it.
 */
function isDoor(file: string, target: string): boolean {
  const folder = dirname(target);
  if (`${file}`.startsWith(`${folder}/`) || !folder.includes("/") || isInParent(file, folder)) return true;
  return target.endsWith("/index") || secondDoors.some((door) => matches(door, target));
}

/** The folders directly in `src` are entered by their own index only. */
function isInParent(file: string, folder: string): boolean {
  return dirname(file) === dirname(folder) && dirname(folder).includes("/");
}

function matches(door: string, target: string): boolean {
  const [parts, names] = [door.split("/"), target.split("/")];
  return parts.length === names.length && parts.every((part, index) => part === "*" || part === names[index]);
}
