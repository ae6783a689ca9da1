/** The validator accepts the requests of this api; its rules are those of another api and a few more. */
import { checkValidator } from "../../validators/check-validator.js";
import { tests } from "./index.js";

checkValidator(tests);
