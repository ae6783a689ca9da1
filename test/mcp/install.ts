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

/** The folder that holds the packages, and why it lacks them. */
export const { folder: MCP_FOLDER, without: WITHOUT_MCP } = await installPeers("mcp", VERSIONS);
