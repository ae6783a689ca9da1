/** The validator accepts the requests of this api. Its rules extend those of another api. */
import { checkValidator } from "../../validators/check-validator.internal.js";
import { tests } from "./index.js";

checkValidator(tests);
