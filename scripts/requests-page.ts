/** Writes docs/requests.md. A test reports whether it is up to date. */
import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { buildRequestsPage } from "../packages/ai/test/vendors/requests-page.ts";

await writeFile(fileURLToPath(new URL("../docs/requests.md", import.meta.url)), buildRequestsPage());
