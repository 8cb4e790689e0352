/** `node remember.ts FILE NAME`: saves eight rules, one after the other. */

import { projectRules } from "../../src/node/project-rules.ts";
import { rule } from "../support/permission-requests.ts";

const [file = "", name = ""] = process.argv.slice(2);
const fail = (note: string): never => {
  throw new Error(note);
};
process.umask(0);
const rules = projectRules({ file, workspace: "/w", notify: fail });
for (let at = 0; at < 8; at += 1) await rules.remember(rule(`bash(${name} ${at})`));
