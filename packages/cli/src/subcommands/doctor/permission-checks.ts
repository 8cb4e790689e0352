/** Checks remembered rules and the audit log for `pith doctor`. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { describeRule, isHarmlessRule } from "@pith/agent";
import { projectRules, resolveRealPath } from "@pith/agent/node";
import { auditFolderPath, listAuditFiles } from "../../app/audit-log.ts";
import type { SubcommandCall } from "../../args/subcommand.ts";
import { loadSettings } from "../../settings/resolve.ts";
import { formatCount } from "../../text/format.ts";
import { type Check, ok, warning } from "./checks.ts";

export async function checkPermissions(call: SubcommandCall): Promise<readonly Check[]> {
  return [await checkRules(call), await checkAuditLog(call)];
}

/** A rule on all that begins so is offered for harmless commands only; others were written by hand, or by an earlier version. */
async function checkRules({ home, cwd }: SubcommandCall): Promise<Check> {
  const file = join(home, "permissions.json");
  const workspace = (await resolveRealPath(cwd)) ?? cwd;
  const rules = await projectRules({ file, workspace, notify: () => {}, tools: ["mcp_call"] }).load();
  const broadRules = rules.filter((rule) => !isHarmlessRule(rule));
  if (broadRules.length === 0)
    return ok("rules", `${formatCount(rules.length, "rule")} remembered for this folder in ${file}`);
  const [first] = broadRules;
  const message = `${broadRules.map(({ text }) => text).join(", ")} in ${file}: ${first ? describeRule(first) : ""}, so it may write, run and send anything`;
  return warning(
    "rules",
    message,
    "remove what you do not mean; exact lines, such as bash(npm test), permit no more than they say",
  );
}

async function checkAuditLog({ home, environment }: SubcommandCall): Promise<Check> {
  const resolved = await loadSettings({}, { home, environment });
  const folder = auditFolderPath(home);
  if (resolved.type !== "mistake" && resolved.settings.auditLog === false)
    return ok("audit log", "off, by the setting auditLog");
  const fileCount = existsSync(folder) ? listAuditFiles(folder).length : 0;
  return ok(
    "audit log",
    fileCount === 0 ? `none yet; it will be in ${folder}` : `${formatCount(fileCount, "file")} in ${folder}`,
  );
}
