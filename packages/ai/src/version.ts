/** How requests introduce themselves. */

/** The version of this package. */
export const PI_AI_VERSION = "0.1.0";
export const USER_AGENT: string = `pi-ai/${PI_AI_VERSION}`;
