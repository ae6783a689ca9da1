/**
 * Writes the reference of the packages from their doc comments to `docs/reference/html`; with `--check` it only checks, with
 * `--markdown DIRECTORY` it writes Markdown there, for the site.
 * Fails and prints each place where an export or a member of one has no comment, a link is broken, or a signature names a
 * type that is not exported.
 */
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { Application, ReflectionKind } from "typedoc";
import { listSources } from "../../scripts/package-entries.ts";

const PACKAGES = ["pi-ai", "pi-agent", "pi-inspect"];

/** Types behind a public one that no program needs to name. */
const NOT_EXPORTED = {
  "pi-ai": [
    "BlockOf",
    "CompatByApi",
    "CountName",
    "CountedModel",
    "DynamicId",
    "Environment",
    "JsonFields",
    "JsonParameters",
    "JsonRequired",
    "LocalOption",
    "MaybePromise",
    "ModelIds",
    "NamesOf",
    "OtherArguments",
    "OwnApiOptions",
    "ProseType",
    "ProviderApis",
    "ProxyBlockEvent",
    "ReadonlyContext",
    "SettableFields",
    "SimpleStreamFunction",
    "StandardOutput",
    "StartOf",
    "ThinkingFacts",
    "TypeBoxFields",
    "TypeBoxParameters",
    "Untimed",
  ],
  "pi-agent": ["Callback", "MaybePromise", "NamedToolChunk", "ToolChunk"],
  "pi-inspect": [],
};

/** The parts of Node's requests and responses that are used; Node documents their members. */
const NODE_S_OWN = ["NodeRequest", "NodeResponse"];

/** One page for each entry. Members stand in tables, so that a page can be read at a glance. */
const AS_MARKDOWN = {
  name: "API reference",
  plugin: ["typedoc-plugin-markdown"],
  outputFileStrategy: "modules",
  hidePageHeader: true,
  hideBreadcrumbs: true,
  useCodeBlocks: true,
  // A heading's own anchor depends on the headings before it, which TypeDoc counts in another way.
  useHTMLAnchors: true,
  anchorPrefix: "api-",
  groupOrder: ["Functions", "Classes", "Variables", "Interfaces", "Type Aliases"],
  expandObjects: true,
  parametersFormat: "table",
  interfacePropertiesFormat: "table",
  classPropertiesFormat: "table",
  typeAliasPropertiesFormat: "table",
  enumMembersFormat: "table",
  propertyMembersFormat: "table",
  typeDeclarationFormat: "table",
  typeDeclarationVisibility: "compact",
};

const { check, markdown } = parseArgs({
  options: { check: { type: "boolean" }, markdown: { type: "string" } },
}).values;
const out = markdown === undefined ? {} : { ...AS_MARKDOWN, out: resolve(markdown) };

process.chdir(import.meta.dirname);
const entryPoints = Object.values(listSources());
const app = await Application.bootstrapWithPlugins({ options: "typedoc.json", entryPoints, ...out });
const project = await app.convert();
if (!project) process.exit(1);
for (const name of PACKAGES) {
  // TypeDoc checks exports of one package.
  project.packageName = name;
  app.options.setValue("intentionallyNotExported", NOT_EXPORTED[name]);
  app.options.setValue("intentionallyNotDocumented", listSelfExplanatory(name));
  app.options.setValue("packagesRequiringDocumentation", [name]);
  app.validate(project);
}
project.packageName = undefined;
if (app.logger.hasErrors() || app.logger.hasWarnings()) process.exit(1);
if (!check) await app.generateOutputs(project);
const place = check ? "" : ` The reference is in ${markdown ?? "docs/reference/html/index.html"}.`;
process.stdout.write(`Every export has a doc comment.${place}\n`);

/**
 * Members that need no comment: those with one possible value (`type: "text"`), members of an inline object type, which
 * the comment of the outer type describes, and setters, which their getter describes.
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

/** TypeDoc requires no comments there, and reports unused exceptions. */
function isInParameter({ parent }) {
  return parent !== undefined && (parent.kindOf(ReflectionKind.Parameter) || isInParameter(parent));
}
