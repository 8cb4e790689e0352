/** Which files a shell line names: a conservative reading of the obvious, never of what only a shell could know. */

import { commandTouches, invocation, isLook, type Touch } from "./programs.ts";
import { type ShellCommand, shellCommands } from "./shell-commands.ts";
import type { Word } from "./shell-words.ts";

/** In the order of the line. A path behind a `cd` is said in two parts: they are joined, and nothing else is done to it. */
export function shellTouches(line: string): readonly Touch[] {
  const folders: Word[] = [AS_SAID];
  return shellCommands(line).flatMap((command) => {
    enter(folders, command);
    const folder = folders.at(-1) ?? null;
    return commandTouches(command).flatMap(({ path, did }) => {
      const whole = joined(folder, path);
      return whole === null ? [] : [{ path: whole, did }];
    });
  });
}

/** Whether a line only shows what can be had again: files, searches, listings. Then nothing in its output is news. */
export function onlyLooks(line: string): boolean {
  const commands = shellCommands(line);
  return commands.length > 0 && commands.every(isLook);
}

const AS_SAID = "";

/** Where each bracket stands, the innermost last: what is changed inside does not hold outside. */
function enter(folders: Word[], { depth, words }: ShellCommand): void {
  while (folders.length > depth + 1) folders.pop();
  while (folders.length < depth + 1) folders.push(folders.at(-1) ?? null);
  const { name, rest } = invocation(words);
  if (name === "cd") folders[depth] = changed(folders[depth] ?? null, rest);
}

function changed(folder: Word, [to = null, ...more]: readonly Word[]): Word {
  return to === null || to === "-" || more.length > 0 ? null : joined(folder, to);
}

/** Null where nobody can say. */
function joined(folder: Word, path: string): Word {
  if (/^(?:[/~]|[A-Za-z]:)/.test(path) || folder === AS_SAID) return path;
  return folder === null ? null : `${folder.replace(/\/$/, "")}/${path.replace(/^\.\//, "")}`;
}
