/** Runs before each test file: tests that build requests without the driver need what the driver would load for them. */

import * as keys from "../../src/catalogue/env/credentials.js";
import { credentials } from "../../src/catalogue/index.js";
import { streamingParser } from "../../src/message/index.js";
import { ownContent } from "../../src/providers/anthropic/late-content.js";
import * as own from "../../src/providers/anthropic/own-content.js";
import * as content from "../../src/request/handoff/foreign-content.js";
import { foreignContent } from "../../src/request/index.js";
import * as parser from "../../src/wire/json/streaming-json.js";

credentials.use(keys);
foreignContent.use(content);
streamingParser.use(parser);
ownContent.use(own);
