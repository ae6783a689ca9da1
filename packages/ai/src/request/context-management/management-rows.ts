/** The features of an api, and their request fields: data of its adapter. */

import type { ContextManagement } from "../../types/context-management.js";
import type { Model } from "../../types/model.js";

type Fields = Record<string, unknown>;
export type Feature = keyof ContextManagement;
/** The options of a feature; `true` stands for none. */
export type OptionsOf<TFeature extends Feature> = Exclude<NonNullable<ContextManagement[TFeature]>, boolean>;

/** One feature of one api. */
export interface Row<TFeature extends Feature> {
  /** The providers that support the feature through this api. */
  providers: readonly string[];
  /** The models that support it. Default: all models of these providers. */
  models?: RegExp;
  /** The minimum of `atTokens`. */
  minTokens?: number;
  /** The minimum of `keep`. */
  minKept?: number;
  /** Options that the provider does not support. */
  ignored?: readonly (keyof OptionsOf<TFeature>)[];
  /** The beta feature that the request needs, for Anthropic's header. */
  beta?: string;
  /** Whether the feature applies to a request. Default: to each request. */
  applies?(body: Fields): boolean;
  /** One entry of the field `context_management`. */
  entry(options: OptionsOf<TFeature>, model: Model): Fields;
}

/** How the providers of an api shorten a long conversation. */
export interface ContextManagementRows {
  /** The value of the field `context_management`. */
  wrap(entries: readonly Fields[]): unknown;
  /** In the order that the provider requires. */
  features: { readonly [TFeature in Feature]?: Row<TFeature> };
}
