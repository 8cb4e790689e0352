/** Checks remembered rules and the audit log for `pith doctor`. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { describeRule, isHarmlessRule } from "@pith/agent";
import { projectRules, resolveRealPath } from "@pith/agent/node";
import { auditFiles, auditFolder } from "../../app/audit-log.ts";
import type { Call } from "../../args/subcommand.ts";
import { choose } from "../../settings/resolve.ts";
import { counted } from "../../text/format.ts";
import { type Check, ok, warning } from "./checks.ts";

export async function permissionChecks(call: Call): Promise<readonly Check[]> {
  return [await ruleCheck(call), await auditCheck(call)];
}

/** A rule on all that begins so is offered for harmless commands only; others were written by hand, or by an earlier version. */
async function ruleCheck({ home, cwd }: Call): Promise<Check> {
  const file = join(home, "permissions.json");
  const workspace = (await resolveRealPath(cwd)) ?? cwd;
  const rules = await projectRules({ file, workspace, notify: () => {}, tools: ["mcp_call"] }).load();
  const wide = rules.filter((rule) => !isHarmlessRule(rule));
  if (wide.length === 0) return ok("rules", `${counted(rules.length, "rule")} remembered for this folder in ${file}`);
  const [first] = wide;
  const says = `${wide.map(({ text }) => text).join(", ")} in ${file}: ${first ? describeRule(first) : ""}, so it may write, run and send anything`;
  return warning(
    "rules",
    says,
    "remove what you do not mean; exact lines, such as bash(npm test), permit no more than they say",
  );
}

async function auditCheck({ home, environment }: Call): Promise<Check> {
  const chosen = await choose({}, { home, environment });
  const folder = auditFolder(home);
  if (chosen.type !== "mistake" && chosen.choices.auditLog === false)
    return ok("audit log", "off, by the setting auditLog");
  const files = existsSync(folder) ? auditFiles(folder).length : 0;
  return ok("audit log", files === 0 ? `none yet; it will be in ${folder}` : `${counted(files, "file")} in ${folder}`);
}
