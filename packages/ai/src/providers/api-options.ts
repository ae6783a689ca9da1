/** The options that a model's api takes. */
import type { Api, KnownApi } from "../types/model.js";
import type { ProviderStreamOptions, StreamOptions } from "../types/options.js";
import type { OptionsByApi } from "./options-by-api.generated.js";

/**
 * The options of `stream` and `complete` for a model of this api: those of a built-in api, or any options for a custom
 * api and for a model whose api is only known at run time. The union with `StreamOptions` serves functions that are
 * generic over the api.
 */
export type ApiOptions<TApi extends Api> = StreamOptions | OwnApiOptions<TApi>;

type OwnApiOptions<TApi extends Api> = string extends TApi
  ? ProviderStreamOptions
  : TApi extends KnownApi
    ? OptionsByApi[TApi]
    : ProviderStreamOptions;
