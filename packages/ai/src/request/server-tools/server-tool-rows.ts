/** How an api declares the tools that its providers run: data of its adapter. */
import type { PortableServerTool } from "../../types/context.js";
import type { Model } from "../../types/model.js";

type Fields = Record<string, unknown>;

/** The parts of a request that a declaration adds. */
export interface Declaration {
  /** Entries of the tools. */
  tools?: Fields[];
  /** Fields of the body. Lists are joined with those that are there. */
  body?: Fields;
  /** Names of beta features, for Anthropic's header. */
  betas?: string[];
  /** Options that the provider does not know, and that do not matter for safety. */
  ignored?: string[];
}

type OptionsOf<TKind> = Extract<PortableServerTool, { kind: TKind }>;
export type Kind = PortableServerTool["kind"];

/** One tool of one api. */
export interface Row<TKind extends Kind> {
  /** The providers that have it behind this api. */
  providers: readonly string[];
  /** The models that have it, by their ids or by a function. Default: all of these providers. */
  models?: RegExp | ((model: Model) => boolean);
  /** Options without which the tool would do more than it may; a `ConfigError` where they are given. */
  refused?: readonly Exclude<keyof OptionsOf<TKind>, "kind">[];
  declare(options: OptionsOf<TKind>): Declaration;
}

/** The tools that the providers of an api run. */
export interface ServerToolRows {
  /** The field of the body that holds the tools, if the body does not hold them itself. */
  holder?: string;
  /** The types of a declared tool that searches the deferred tools. */
  searches?: RegExp;
  /** Beta features by the type of a declared tool. */
  betas?: Readonly<Record<string, string>>;
  /** Fields for a request with both the provider's tools and the application's. */
  combined?: Fields;
  /** The models that take both. Default: all. */
  combines?: RegExp;
  tools: { readonly [TKind in Kind]?: Row<TKind> };
}
