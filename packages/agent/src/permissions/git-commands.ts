/** Detects git commands that could run a program named in their arguments or in a setting they make. */

import type { ShellWord } from "@pith/context/host";

/** `words` are the arguments after `git`. */
export function gitRunsInlineCode(words: readonly ShellWord[]): boolean {
  const subcommandStart = subcommandIndex(words);
  const [subcommand, ...rest] = words.slice(subcommandStart);
  return (
    words.slice(0, subcommandStart).some(isProgramGlobalOption) ||
    configSettings(words).some((setting) => !HARMLESS_SETTING.test(setting ?? "")) ||
    words.some((word) => /(?<![a-z])(?:ext|fd)::/i.test(word ?? "") || isProgramOption(word ?? "")) ||
    PROGRAM_SUBCOMMANDS.has(subcommand ?? "") ||
    (PROGRAM_SUBCOMMAND_WORDS.get(subcommand ?? "")?.test(rest.map((word) => word ?? "").join("\n")) ?? false) ||
    (subcommand === "config" && setsProgramConfig(rest))
  );
}

/** Whether a git command runs no other program, whatever its unknown words are. */
export function isHarmlessGitCommand(name: string, words: readonly ShellWord[]): boolean {
  if (name !== "git") return false;
  const start = subcommandIndex(words);
  const hasKnownOptions = !words.slice(0, start).includes(null) && !gitRunsInlineCode(words);
  return hasKnownOptions && SUBCOMMANDS_WITHOUT_PROGRAMS.has(words[start] ?? "");
}

const SUBCOMMANDS_WITHOUT_PROGRAMS: ReadonlySet<string> = new Set([
  ...["add", "blame", "branch", "cat-file", "checkout", "commit", "describe", "diff", "log", "ls-files", "mv", "reset"],
  ...["restore", "rev-list", "rev-parse", "rm", "show", "status", "switch", "tag"],
]);

/** Whether a git command may run another subcommand that its words name, as `git subtree push` runs `git push`. */
export function mayRunSubcommand(words: readonly ShellWord[], subcommand: string): boolean {
  const [own, ...rest] = words.slice(subcommandIndex(words));
  return !OWN_SUBCOMMANDS.has(own ?? "") && rest.some((word) => word === null || word === subcommand);
}

/** Subcommands in daily use that take no other subcommand. */
const OWN_SUBCOMMANDS: ReadonlySet<string> = new Set([
  ...SUBCOMMANDS_WITHOUT_PROGRAMS,
  ...["am", "apply", "archive", "bundle", "cherry-pick", "clean", "clone", "config", "fetch", "format-patch", "gc"],
  ...["grep", "help", "init", "ls-remote", "ls-tree", "merge", "merge-base", "notes", "pull", "push", "range-diff"],
  ...["rebase", "reflog", "remote", "revert", "shortlog", "sparse-checkout", "stash", "symbolic-ref", "worktree"],
]);

/** Removes git's global options, so that a rule on `git push` matches `git -C . push`. Other commands are unchanged. */
export function withoutGitOptions(words: readonly ShellWord[]): readonly ShellWord[] {
  return words[0] === "git" ? ["git", ...words.slice(1 + subcommandIndex(words.slice(1)))] : words;
}

function subcommandIndex(words: readonly ShellWord[]): number {
  let index = 0;
  while (words[index]?.startsWith("-")) index += OPTIONS_WITH_VALUE.has(words[index] ?? "") ? 2 : 1;
  return Math.min(index, words.length);
}

const OPTIONS_WITH_VALUE: ReadonlySet<string> = new Set([
  ...["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--super-prefix", "--config-env", "--attr-source"],
]);

/** `--exec-path` sets where git finds its programs; `--config-env` takes a setting from the environment. */
function isProgramGlobalOption(word: ShellWord): boolean {
  return /^--(?:exec-path=|config-env)/.test(word ?? "");
}

/** The settings of `-c`, a global option and an option of `git clone`. */
function configSettings(words: readonly ShellWord[]): readonly ShellWord[] {
  const isClone = words.includes("clone");
  return words.flatMap((word, index) => {
    const isGlobalOption = word === "-c" && index < subcommandIndex(words);
    const isCloneOption = isClone && /^(?:-c|--config)$/.test(word ?? "");
    if (isGlobalOption || isCloneOption) return [words[index + 1] ?? null];
    return isClone && /^--conf[a-z]*=/.test(word ?? "") ? [(word ?? "").replace(/^[^=]*=/, "")] : [];
  });
}

/** Settings that name no program, file or URL, by section. Keys are listed one by one, because some sections also have drivers and hooks. */
const HARMLESS_KEYS: readonly string[] = [
  "(?:user|author|committer)\\.(?:name|email|useconfigonly)",
  "(?:color|advice|column|status|i18n|feature|versionsort|blame|pack)\\.[\\w.-]+",
  "log\\.(?:date|decorate|abbrevcommit|follow|mailmap|showroot|diffmerges)",
  "init\\.(?:defaultbranch|defaultobjectformat)",
  "gc\\.(?:auto|autodetach|autopacklimit|pruneexpire|reflogexpire|reflogexpireunreachable|writecommitgraph|cruftpacks)",
  "fetch\\.(?:prune|prunetags|parallel|writecommitgraph|showforcedupdates|output|recursesubmodules)",
  "pull\\.(?:ff|rebase=(?:true|false|merges)$)",
  "rebase\\.(?:autostash|autosquash|stat|updaterefs|missingcommitscheck|forkpoint)",
  "merge\\.(?:conflictstyle|ff|log|renames|renamelimit|stat|autostash|directoryrenames|verbosity)",
  "push\\.(?:default|autosetupremote|followtags|useforceifincludes)",
  "branch\\.(?:autosetupmerge|autosetuprebase|sort)",
  "stash\\.(?:showincludeuntracked|showpatch|showstat)",
  "safe\\.(?:directory|barerepository)",
  "protocol\\.version",
  "index\\.(?:threads|version|sparse|skiphash)",
  "rerere\\.(?:enabled|autoupdate)",
  "apply\\.(?:whitespace|ignorewhitespace)",
  "core\\.(?:quotepath|autocrlf|eol|safecrlf|filemode|ignorecase|symlinks|abbrev|longpaths|precomposeunicode|compression|bare)",
  "core\\.(?:pager=(?:cat)?$|editor=(?:true|:|cat)$|hookspath=\\/dev\\/null$|fsmonitor=false$)",
  "pager\\.[\\w-]+=(?:false|cat|0)$",
  "commit\\.(?:gpgsign|verbose|cleanup|status)",
  "tag\\.(?:gpgsign|sort)",
  "diff\\.(?:algorithm|renames|renamelimit|context|noprefix|mnemonicprefix|colormoved|wserrorhighlight)",
  "format\\.pretty",
  "http\\.(?:version|timeout|lowspeedlimit|lowspeedtime|postbuffer|maxrequests)",
  "submodule\\.recurse",
  "[a-z]=[a-z]$",
];
const HARMLESS_SETTING = new RegExp(`^(?:${HARMLESS_KEYS.join("|")})(?:=|$)`, "i");

/** Whether an option of any subcommand names a program. Git accepts abbreviated options. */
function isProgramOption(word: string): boolean {
  const [, name = ""] = /^--([a-z-]{2,})(?:=|$)/.exec(word) ?? [];
  return name !== "" && PROGRAM_OPTIONS.some((option) => option.startsWith(name) && !SAFE_PREFIXES.has(name));
}

const PROGRAM_OPTIONS: readonly string[] = [
  ...["exec", "extcmd", "upload-pack", "receive-pack", "open-files-in-pager", "tool", "template", "sendmail-cmd"],
  ...["smtp-server", "to-cmd", "cc-cmd", "header-cmd", "httpd", "browser", "ext-diff", "config-env"],
  ...["tree-filter", "env-filter", "index-filter", "parent-filter", "msg-filter", "commit-filter", "tag-name-filter"],
];
/** Other options that look like an abbreviation of one. */
const SAFE_PREFIXES: ReadonlySet<string> = new Set(["to", "in", "message", "tags", "tag", "re", "co"]);

/** Subcommands whose purpose is to run programs. */
const PROGRAM_SUBCOMMANDS: ReadonlySet<string> = new Set([
  ...["difftool", "mergetool", "filter-branch", "send-email", "for-each-repo", "instaweb", "shell", "daemon", "hook"],
  ...["remote-ext", "remote-fd", "credential", "credential-store", "cvsserver", "web--browse", "merge-index"],
]);

/** Subcommands that run a program if their arguments, joined by line feeds, match. */
const PROGRAM_SUBCOMMAND_WORDS: ReadonlyMap<string, RegExp> = new Map([
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

/** Whether `git config` sets a key that may name a program for later commands. */
function setsProgramConfig(words: readonly ShellWord[]): boolean {
  const isSubcommand = /^(?:get|list|unset|set|edit)$/.test(words[0] ?? "");
  const [mode, rest] = isSubcommand ? [words[0], words.slice(1)] : [null, words];
  if (mode === "edit") return true;
  let index = 0;
  let isReading = mode === "get" || mode === "list" || mode === "unset";
  // Git reads no options after the first operand.
  for (; rest[index]?.startsWith("-"); index += 1) {
    const option = rest[index] ?? "";
    if (CONFIG_READING.test(option)) isReading = true;
    else if (CONFIG_WITH_VALUE.test(option)) index += 1;
    else if (!CONFIG_FLAGS.test(option)) return true;
  }
  const [key, value] = rest.slice(index);
  if (isReading || key === undefined) return false;
  // An unknown word may expand to a key and its value.
  return key === null || (value !== undefined && !HARMLESS_SETTING.test(`${key}=${value ?? "$"}`));
}

const CONFIG_READING =
  /^(?:-l|--(?:get|get-all|get-regexp|get-urlmatch|get-color|get-colorbool|list|unset|unset-all))$/;
const CONFIG_WITH_VALUE = /^(?:-f|-t|--(?:file|blob|type|default|comment|value|url))$/;
const CONFIG_FLAGS =
  /^(?:-z|--(?:global|local|system|worktree|add|append|all|replace-all|bool|int|bool-or-int|path|expiry-date|null|name-only|show-origin|show-scope|show-names|includes|no-includes|fixed-value|regexp|(?:file|blob|type|default|comment|value|url)=.*))$/s;
