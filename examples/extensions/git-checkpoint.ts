/** Stores your changed files in git before you go to another entry in the session tree, as a commit on no branch. Your branches and files do not change. */

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { ExtensionApi } from "@pith/agent";

const run = promisify(execFile);

export default (pith: ExtensionApi): void => {
  let checkpoint: string | null = null;

  pith.on("session_before_tree", async ({ preparation, signal }, { cwd, ui, hasUI }) => {
    checkpoint = null;
    // `git stash create` does not include untracked files.
    const changed = await git(cwd, ["status", "--porcelain", "--untracked-files=no"]);
    if (changed === null || changed === "") return undefined;
    // Without a user to ask, a checkpoint is the safe choice.
    const isWanted = hasUI ? await ui.confirm("Store a checkpoint of your files first?", changed, { signal }) : true;
    if (!isWanted) return undefined;
    const commit = await git(cwd, ["stash", "create", `pith: before leaving ${preparation.oldLeafId ?? "the root"}`]);
    if (!commit) {
      ui.notify("Cancelled: git could not create a checkpoint. Make a first commit, or answer no.", "warning");
      return { cancel: true };
    }
    await git(cwd, ["update-ref", `refs/pith/${preparation.oldLeafId ?? "root"}`, commit]);
    checkpoint = commit;
    return undefined;
  });

  pith.on("session_tree", async ({ oldLeafId }, { ui }) => {
    if (checkpoint === null) return undefined;
    ui.notify(`Your files are stored. To restore them: git stash apply ${checkpoint.slice(0, 10)}`);
    const data = { commit: checkpoint, oldLeafId };
    checkpoint = null;
    return { entries: [{ type: "custom", customType: "git-checkpoint", data }] };
  });
};

/** Returns null if git fails or is not installed. */
async function git(cwd: string, args: readonly string[]): Promise<string | null> {
  const { stdout } = await run("git", [...args], { cwd }).catch(() => ({ stdout: null }));
  return stdout?.trim() ?? null;
}
