/** `/export`: this session for others, as a page, as text, or as a file for pi. */

import { atHome } from "../../subcommands/sessions/finding/session-folders.ts";
import { lostTold } from "../../subcommands/sessions/wording/lost-told.ts";
import { nothingKept, told } from "../answers.ts";
import type { Command } from "../command.ts";

export const exporting: Command = {
  name: "export",
  takes: "[file]",
  says: "this session as a file for others: .html (a page), .md (a text) or .jsonl (for pi, with all branches)",
  examples: ["/export", "/export login-bug.md"],
  async run(words, { agent: { session }, sessionPath, cwd }) {
    if (sessionPath === null) return nothingKept("export");
    const { exportSession } = await import("../../exporting/export-session.ts");
    const exported = await exportSession(sessionPath, {
      ...(words !== "" && { to: atHome(words) }),
      redaction: session,
      cwd,
    });
    if (exported.type === "mistake") return exported;
    return told(`written: ${exported.path}${lostTold(exported.missing)}`, exported);
  },
};
