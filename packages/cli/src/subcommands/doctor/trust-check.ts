/** Whether what this folder has to say of Pith counts. */

import { homedir } from "node:os";
import { trustedFolder } from "../../home/trust/trusted-folder.ts";
import { counted } from "../../printing/amounts.ts";
import type { Call } from "../subcommand.ts";
import { type Check, ok, warning } from "./check.ts";

export async function trustCheck({ cwd, home }: Call): Promise<Check> {
  const folder = await trustedFolder({ cwd, home, userHome: homedir() });
  const { root, files } = folder.holds;
  if (files.length === 0) return ok("trust", `${root} holds nothing that would need it`);
  const held = `${root} holds ${counted(files.length, "file")} with settings, skills or commands`;
  if (folder.type === "trusted") return ok("trust", `${held}, and you trust them`);
  const why = folder.why === "changed" ? "which have changed since you trusted them" : "which nobody has trusted";
  return warning("trust", `${held}, ${why}; they do not count`, "look at them, then: pith trust");
}
