/** A checkpoint of your changed files in git before you go elsewhere in the tree: a commit beside your branches, which nothing of yours is moved for. */

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { ExtensionApi } from "@pith/agent";

const run = promisify(execFile);

export default (pith: ExtensionApi): void => {
  let made: string | null = null;

  pith.on("session_before_tree", async ({ preparation, signal }, { cwd, ui, hasUI }) => {
    made = null;
    // Files that git does not know are not in a checkpoint of its own.
    const changed = await git(cwd, ["status", "--porcelain", "--untracked-files=no"]);
    if (changed === null || changed === "") return undefined;
    // Where nobody is there to be asked, a checkpoint harms nobody.
    const wants = hasUI ? await ui.confirm("A checkpoint of your files first?", changed, { signal }) : true;
    if (!wants) return undefined;
    const commit = await git(cwd, ["stash", "create", `pith: before leaving ${preparation.oldLeafId ?? "the root"}`]);
    if (!commit) {
      ui.notify("git could make no checkpoint, so you stay where you are; commit once, or answer no", "warning");
      return { cancel: true };
    }
    await git(cwd, ["update-ref", `refs/pith/${preparation.oldLeafId ?? "root"}`, commit]);
    made = commit;
    return undefined;
  });

  pith.on("session_tree", async ({ oldLeafId }, { ui }) => {
    if (made === null) return undefined;
    ui.notify(`your files are kept: git stash apply ${made.slice(0, 10)}`);
    const data = { commit: made, oldLeafId };
    made = null;
    return { entries: [{ type: "custom", customType: "git-checkpoint", data }] };
  });
};

/** Null where git says no, or there is none. */
async function git(cwd: string, args: readonly string[]): Promise<string | null> {
  const { stdout } = await run("git", [...args], { cwd }).catch(() => ({ stdout: null }));
  return stdout?.trim() ?? null;
}
