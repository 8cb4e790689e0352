/** Finds Git Bash and ends trees of processes on Windows, where there is neither `/bin/bash` nor a process group. */

import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { win32 } from "node:path";

type Environment = Readonly<Record<string, string | undefined>>;

/** Variables that name the folders in which programs are installed, with where Git lies in each. */
const GIT_FOLDERS: readonly (readonly [variable: string, folder: string])[] = [
  ["ProgramFiles", "Git\\bin"],
  ["ProgramW6432", "Git\\bin"],
  ["LOCALAPPDATA", "Programs\\Git\\bin"],
];

/**
 * Null where there is none. The `bash.exe` in Windows' own folder starts WSL, where paths are spelled otherwise, so it is passed over;
 * so is one in the workspace.
 */
export function findGitBash(
  environment: Environment,
  root: string,
  isFile: (path: string) => boolean = isPlainFile,
): string | null {
  const installedFolders = GIT_FOLDERS.flatMap(([variable, folder]) => {
    const base = environment[variable];
    return base ? [win32.join(base, folder)] : [];
  });
  const pathFolders = (environment.PATH ?? environment.Path ?? "")
    .split(";")
    .filter((folder) => win32.isAbsolute(folder));
  const system = (environment.SystemRoot ?? "C:\\Windows").toLowerCase();
  const isUsable = (folder: string): boolean =>
    [system, root.toLowerCase()].every(
      (excluded) => !`${win32.resolve(folder).toLowerCase()}\\`.startsWith(`${excluded}\\`),
    );
  const paths = [...installedFolders, ...pathFolders.filter(isUsable)].map((folder) => win32.join(folder, "bash.exe"));
  return paths.find(isFile) ?? null;
}

export const NO_BASH_MESSAGE =
  "there is no bash: install Git for Windows, which brings Git Bash, or run Pith in WSL 2 (docs/platforms.md)";

/** The program that ends a process with all that it started, and what to tell it. */
export function killTreeCommand(pid: number, environment: Environment): readonly string[] {
  const folder = win32.join(environment.SystemRoot ?? "C:\\Windows", "System32");
  return [win32.join(folder, "taskkill.exe"), "/pid", String(pid), "/t", "/f"];
}

/** False where there was nothing to end. */
export function killTree(pid: number): boolean {
  const [program = "", ...args] = killTreeCommand(pid, process.env);
  return spawnSync(program, args, { stdio: "ignore", windowsHide: true }).status === 0;
}

function isPlainFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
