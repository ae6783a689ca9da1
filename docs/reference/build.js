/**
 * Writes the reference of both packages from their doc comments to `docs/reference/html`; with `--check` only looks.
 * Fails where an export, or a member of one, has no comment, where a link leads nowhere, and where a signature names a
 * type that is not exported.
 */
import { readFile } from "node:fs/promises";
import { Application, ReflectionKind } from "typedoc";

const PACKAGES = { "pi-ai": "ai", "pi-agent": "agent" };

/** Types behind a public one that nobody has to name. */
const NOT_EXPORTED = {
  "pi-ai": [
    "Environment",
    "JsonFields",
    "JsonParameters",
    "JsonRequired",
    "MaybePromise",
    "ModelIds",
    "OtherArguments",
    "ProseType",
    "ProviderApis",
    "ProxyBlockEvent",
    "SimpleStreamFunction",
    "ThinkingFacts",
    "TypeBoxFields",
    "TypeBoxParameters",
  ],
  "pi-agent": ["Callback", "MaybePromise"],
};

/** What is used of Node's requests and responses; Node describes their members. */
const NODE_S_OWN = ["NodeRequest", "NodeResponse"];

process.chdir(import.meta.dirname);
const entryPoints = (await Promise.all(Object.values(PACKAGES).map(listEntries))).flat();
const app = await Application.bootstrap({ options: "typedoc.json", entryPoints });
const project = await app.convert();
if (!project) process.exit(1);
for (const name of Object.keys(PACKAGES)) {
  // TypeDoc asks for exports in one package.
  project.packageName = name;
  app.options.setValue("intentionallyNotExported", NOT_EXPORTED[name]);
  app.options.setValue("intentionallyNotDocumented", listSelfExplanatory(name));
  app.options.setValue("packagesRequiringDocumentation", [name]);
  app.validate(project);
}
project.packageName = undefined;
if (app.logger.hasErrors() || app.logger.hasWarnings()) process.exit(1);
if (!process.argv.includes("--check")) await app.generateOutputs(project);

/** The source files behind what a package exports. */
async function listEntries(folder) {
  const source = `../../packages/${folder}`;
  const { exports } = JSON.parse(await readFile(`${source}/package.json`, "utf8"));
  const paths = Object.keys(exports).filter((path) => path !== "./package.json");
  return paths.map((path) => `${source}/src/${path === "." ? "index" : `entries/${path.slice(2)}`}.ts`);
}

/**
 * Members that nobody has to describe: those with one possible value (`type: "text"`), those of an object that is written
 * out inside another type, which that type's own comment describes, and setters, which their getter describes.
 */
function listSelfExplanatory(name) {
  const { CallSignature, Property, SetSignature } = ReflectionKind;
  const members = project.getReflectionsByKind(CallSignature | Property | SetSignature);
  const spared = members.filter(
    (member) =>
      project.getSymbolIdFromReflection(member)?.packageName === name &&
      !member.hasComment() &&
      !isInParameter(member) &&
      isSelfExplanatory(member),
  );
  return [...new Set(spared.map((member) => member.getFriendlyFullName()))];
}

function isSelfExplanatory({ kind, parent, type }) {
  if (NODE_S_OWN.includes(parent.name) || NODE_S_OWN.includes(parent.parent?.name)) return true;
  if (kind === ReflectionKind.SetSignature) return parent.getSignature?.hasComment() ?? false;
  if (kind === ReflectionKind.CallSignature) return parent.parent?.kindOf(ReflectionKind.TypeLiteral) ?? false;
  return parent.kindOf(ReflectionKind.TypeLiteral) || type?.type === "literal";
}

/** TypeDoc asks for no comments there, and complains of exceptions that it does not need. */
function isInParameter({ parent }) {
  return parent !== undefined && (parent.kindOf(ReflectionKind.Parameter) || isInParameter(parent));
}
