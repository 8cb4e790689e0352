/** Copies the checkout to another folder, for scripts that change files and must not change these. */

import { execFileSync } from "node:child_process";
import { copyFileSync, cpSync, existsSync, globSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";

/** Copies the files as they are now, committed or not, without what git ignores. */
export function copyCheckout(root: string, folder: string): void {
  const list = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8",
  });
  for (const path of list.split("\0").filter((each) => each !== "" && existsSync(join(root, each)))) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    copyFileSync(join(root, path), join(folder, path));
  }
}

/** Makes the installed packages available to a copy. Links between the packages of the workspace stay within the copy. */
export function linkInstalledPackages(root: string, folder: string): void {
  for (const modules of globSync("{,*/,packages/*/}node_modules", { cwd: root })) {
    mkdirSync(join(folder, modules), { recursive: true });
    for (const name of readdirSync(join(root, modules))) {
      const [from, to] = [join(root, modules, name), join(folder, modules, name)];
      if (name === ".pnpm") symlinkSync(from, to);
      else if (!name.startsWith(".")) cpSync(from, to, { recursive: true, verbatimSymlinks: true });
    }
  }
}
