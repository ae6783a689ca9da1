/** Loads `oauth4webapi` for the first login or refresh. */
import { createSdkLoader } from "./http-sdk.js";

/** The protocol of OAuth 2.0: builds requests and checks responses. */
export type OAuthLibrary = typeof import("../../vendor/oauth.js");
export type { AuthorizationServer, DeviceAuthorizationResponse, TokenEndpointResponse } from "oauth4webapi";

/** Returns the library. */
export const loadOAuth: () => Promise<OAuthLibrary> = createSdkLoader(
  "oauth4webapi",
  () => import("../../vendor/oauth.js"),
);
