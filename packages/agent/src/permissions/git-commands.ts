/** Tells whether a git command could run a program that stands in its words or in a setting it makes. */

import type { ShellWord } from "@pith/context/shell";

/** Of the words behind `git`. */
export function gitRunsText(words: readonly ShellWord[]): boolean {
  const at = subcommandAt(words);
  const [subcommand, ...rest] = words.slice(at);
  return (
    words.slice(0, at).some(isRunningGlobal) ||
    settingsOf(words).some((setting) => !HARMLESS_SETTING.test(setting ?? "")) ||
    words.some((word) => /^(?:ext|fd)::/.test(word ?? "") || isRunningOption(word ?? "")) ||
    RUNNING.has(subcommand ?? "") ||
    (RUNNING_WORDS.get(subcommand ?? "")?.test(rest.map((word) => word ?? "").join("\n")) ?? false) ||
    (subcommand === "config" && isRunningConfig(rest))
  );
}

/** A rule on `git push` also has to match `git -C . push`. Without git's own options; any other command as it is. */
export function withoutOptions(words: readonly ShellWord[]): readonly ShellWord[] {
  return words[0] === "git" ? ["git", ...words.slice(1 + subcommandAt(words.slice(1)))] : words;
}

function subcommandAt(words: readonly ShellWord[]): number {
  let at = 0;
  while (words[at]?.startsWith("-")) at += WITH_VALUE.has(words[at] ?? "") ? 2 : 1;
  return Math.min(at, words.length);
}

const WITH_VALUE: ReadonlySet<string> = new Set([
  ...["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--super-prefix", "--config-env", "--attr-source"],
]);

/** Git finds its own programs there, or a setting in the environment. */
function isRunningGlobal(word: ShellWord): boolean {
  return /^--(?:exec-path=|config-env)/.test(word ?? "");
}

/** What `-c` sets, for git itself and for `git clone`. */
function settingsOf(words: readonly ShellWord[]): readonly ShellWord[] {
  const isClone = words.includes("clone");
  return words.flatMap((word, at) => {
    const isOwn = word === "-c" && at < subcommandAt(words);
    const isCloned = isClone && /^(?:-c|--config)$/.test(word ?? "");
    if (isOwn || isCloned) return [words[at + 1] ?? null];
    return isClone && /^--conf[a-z]*=/.test(word ?? "") ? [(word ?? "").replace(/^[^=]*=/, "")] : [];
  });
}

/** Settings that name no program, no file and no address. */
const HARMLESS_SETTING =
  /^(?:(?:user|color|advice|column|log|init|status|author|committer|gc|fetch|pull|rebase|merge|push|branch|stash|i18n|safe|protocol|index|pack|feature|rerere|tag|versionsort|blame|apply)\.(?!tool|guitool)[\w.-]+|core\.(?:quotepath|autocrlf|eol|safecrlf|filemode|ignorecase|symlinks|abbrev|longpaths|precomposeunicode|compression|bare|pager=(?:cat)?$|editor=(?:true|:|cat)$|hookspath=\/dev\/null$|fsmonitor=false$)|pager\.[\w-]+=(?:false|cat|0)$|commit\.(?:gpgsign|verbose|cleanup|status)|tag\.gpgsign|diff\.(?:algorithm|renames|renamelimit|context|noprefix|mnemonicprefix|colormoved|wserrorhighlight)|format\.pretty|http\.(?:version|timeout|lowspeedlimit|lowspeedtime|postbuffer|maxrequests)|submodule\.recurse|[a-z]=[a-z]$)(?:=|$)?/i;

/** Options of one subcommand or another by which a program is named, also by their beginnings. */
function isRunningOption(word: string): boolean {
  const [, name = ""] = /^--([a-z-]{2,})(?:=|$)/.exec(word) ?? [];
  return name !== "" && RUNNING_OPTIONS.some((option) => option.startsWith(name) && !SAFE_BEGINNINGS.has(name));
}

const RUNNING_OPTIONS: readonly string[] = [
  ...["exec", "extcmd", "upload-pack", "receive-pack", "open-files-in-pager", "tool", "template", "sendmail-cmd"],
  ...["smtp-server", "to-cmd", "cc-cmd", "header-cmd", "httpd", "browser", "ext-diff", "config-env"],
  ...["tree-filter", "env-filter", "index-filter", "parent-filter", "msg-filter", "commit-filter", "tag-name-filter"],
];
/** Options of their own that look like the beginning of one. */
const SAFE_BEGINNINGS: ReadonlySet<string> = new Set(["to", "in", "message", "tags", "tag", "re", "co"]);

/** Subcommands that run programs by their nature. */
const RUNNING: ReadonlySet<string> = new Set([
  ...["difftool", "mergetool", "filter-branch", "send-email", "for-each-repo", "instaweb", "shell", "daemon", "hook"],
  ...["remote-ext", "remote-fd", "credential", "credential-store", "cvsserver", "web--browse", "merge-index"],
]);

/** Subcommands with the words, one per line, by which they run a text. */
const RUNNING_WORDS: ReadonlyMap<string, RegExp> = new Map([
  ["submodule", /^foreach$/m],
  ["bisect", /^run$/m],
  ["rebase", /^-\w*[xi]|^--i/m],
  ["grep", /^-\w*O/m],
  ["clone", /^-u/m],
  ["archive", /^--remote/m],
  ["svn", /./s],
  ["p4", /./s],
  ["remote", /^(?:ext|fd)::/m],
]);

/** A setting that may name a program, made for the commands that follow. */
function isRunningConfig(words: readonly ShellWord[]): boolean {
  const operands = words.filter((word) => !word?.startsWith("-"));
  const [key, ...values] = operands[0] === "set" ? operands.slice(1) : operands;
  const isReading =
    values.length === 0 ||
    /^(?:get|list|unset)$/.test(key ?? "") ||
    words.some((word) => /^--(?:get|unset|list)/.test(word ?? ""));
  return (
    words.some((word) => /^(?:-e|--edit|edit)$/.test(word ?? "")) ||
    (!isReading && !HARMLESS_SETTING.test(`${key}=${values[0] ?? "$"}`))
  );
}
