/** The packages of the MCP project. */
import { installPeers } from "../support/install-peers.js";

const SCOPE = "@modelcontextprotocol";
const VERSIONS = {
  [`${SCOPE}/sdk`]: "1.32.2",
  [`${SCOPE}/client`]: "2.4.0",
  [`${SCOPE}/server`]: "2.4.0",
  [`${SCOPE}/server-everything`]: "2026.8.31",
  [`${SCOPE}/server-filesystem`]: "2026.8.31",
  [`${SCOPE}/conformance`]: "0.2.0-alpha.12",
};

const installed = await installPeers("mcp", VERSIONS);

/** The folder that holds the packages. */
export const MCP_FOLDER: string = installed.folder;
/** Why the folder lacks the packages. */
export const WITHOUT_MCP: string = installed.without;
