/** Finds commands that a shell line runs indirectly: through wrappers such as `sudo`, through variables, and through files it writes. */

import type { ShellCommand, ShellWord } from "@pith/context/host";
import { isInterpreter } from "./inline-code.ts";

/** The command itself, then the commands within its arguments: `sudo rm x` contains `rm x`. */
export function findNestedCommands(words: readonly ShellWord[]): readonly (readonly ShellWord[])[] {
  const name = programName(words[0]);
  if (name === null || !WRAPPERS.has(name) || /^-[vV]$/.test((name === "command" && words[1]) || "")) return [words];
  const all = APPENDING_WRAPPERS.has(name) ? [...markReplacements(words), null] : words;
  const isStart = BUILTIN_WRAPPERS.has(name) ? () => true : (word: ShellWord) => !SHELL_BUILTINS.has(word ?? "");
  const commandStarts = findCommandStarts(name, all.slice(0, words.length)).filter((start) =>
    isStart(all[start] ?? null),
  );
  return [words, ...commandStarts.map((start) => all.slice(start, start + MAX_WORDS))];
}

const BUILTIN_WRAPPERS: ReadonlySet<string> = new Set(["command", "builtin", "time"]);
/** Only the shell runs these: the `.` in `npx eslint .` is not a command. */
const SHELL_BUILTINS: ReadonlySet<string> = new Set([
  ...[".", "source", "eval", "trap", "alias", "let", "fc", "bind", "complete", "compgen", "enable", "hash", "["],
]);

/** These limits bound the time for lines with thousands of nested wrappers. */
const MAX_WORDS = 40;
export const MAX_STARTS = 3_100;

export function findCommandStarts(name: string, words: readonly ShellWord[]): readonly number[] {
  const commandOption = COMMAND_OPTIONS.get(name);
  const indexes = words.map((_, index) => index).slice(1, MAX_STARTS);
  if (commandOption !== undefined) return indexes.filter((index) => commandOption.test(words[index - 1] ?? "-exec"));
  const program = SIMPLE_WRAPPERS.has(name) ? findProgramIndex(words) : undefined;
  // After the program, an unknown word is an argument.
  return indexes.filter((index) => words[index] !== null || program === undefined || index <= program);
}

/** Wrappers whose program is the first operand that is not a number, an assignment or an option's value. */
export const SIMPLE_WRAPPERS: ReadonlySet<string> = new Set([
  ...["sudo", "doas", "env", "nohup", "nice", "ionice", "time", "timeout", "stdbuf", "setsid", "command", "exec"],
  ...["builtin", "npx", "bunx", "pnpx", "uvx", "xargs"],
]);

/** The index of the program that a simple wrapper runs. */
export function findProgramIndex(words: readonly ShellWord[]): number | undefined {
  return words.map((_, index) => index).find((index) => index > 0 && isProgram(words, index));
}

function isProgram(words: readonly ShellWord[], index: number): boolean {
  const word = words[index];
  const isOperand = word != null && !/^[-+\d]|^\w+=/.test(word);
  return isOperand && !mayTakeValue(words[index - 1] ?? "-");
}

/** Whether the next word may be the value of this option. `-n1` and `--max-args=1` have theirs. */
function mayTakeValue(word: string): boolean {
  return word.startsWith("-") && !/^-[a-zA-Z][^a-zA-Z-]|^--[\w-]+=/.test(word);
}

/** Wrappers whose command follows an option. */
const COMMAND_OPTIONS: ReadonlyMap<string, RegExp> = new Map([
  ["find", /^-(?:exec|ok)(?:dir)?$/],
  ["fd", /^(?:-[xX]|--exec|--exec-batch)$/],
]);

/** The program without its folder; null if only the shell knows it. */
export function programName(word: ShellWord | undefined): string | null {
  return word == null ? null : word.slice(word.lastIndexOf("/") + 1);
}

/** Makes the words unknown in which `xargs -I` and `entr` insert their input. */
function markReplacements(words: readonly ShellWord[]): readonly ShellWord[] {
  const optionIndex = words.findIndex((word) => /^-(?:I|J)|^--replace/.test(word ?? ""));
  const option = words[optionIndex] ?? "";
  const attached = option.replace(/^-[IJ]|^--replace=?/, "");
  const placeholder = optionIndex < 0 ? "/_" : attached || (words[optionIndex + 1] ?? "{}");
  return words.map((word, index) =>
    index > optionIndex + (attached ? 0 : 1) && word?.includes(placeholder) ? null : word,
  );
}

/** Whether the subcommand may follow after options. Only the program knows which of its options take a value. */
export function mayFollowOptions(words: readonly ShellWord[], [program, subcommand]: readonly string[]): boolean {
  if (subcommand === undefined || words[0] !== program || !words[1]?.startsWith("-")) return false;
  return !subcommand.startsWith("-") && words.slice(2).some((word) => word === null || word === subcommand);
}

/** Programs that run another command, given as their arguments. */
export const WRAPPERS: ReadonlySet<string> = new Set(
  [
    ["sudo", "doas", "pkexec", "gosu", "su-exec", "env", "nohup", "nice", "ionice", "time", "timeout", "stdbuf"],
    ["unbuffer", "setsid", "chroot", "unshare", "nsenter", "setpriv", "setarch", "prlimit", "taskset", "chrt"],
    ["numactl", "runcon", "flock", "systemd-run", "cgexec", "bwrap", "firejail", "proot", "fakeroot", "xvfb-run"],
    ["dbus-run-session", "caffeinate", "rlwrap", "chronic", "ts", "tini", "dumb-init", "eatmydata", "faketime"],
    [
      "torsocks",
      "proxychains",
      "cross-env",
      "dotenv",
      "choom",
      "ld.so",
      "ld-linux-x86-64.so.2",
      "ld-linux-aarch64.so.1",
    ],
    ["strace", "ltrace", "valgrind", "perf", "xargs", "find", "fd", "entr", "command", "exec", "builtin"],
    [
      "ssh-agent",
      "gpg-agent",
      "dbus-launch",
      "xinit",
      "sshpass",
      "cpulimit",
      "logsave",
      "systemd-inhibit",
      "systemd-cat",
    ],
    ["busybox", "toybox", "npx", "bunx", "pnpx", "uvx", "corepack"],
  ].flat(),
);

/** Wrappers that append words to the command. */
export const APPENDING_WRAPPERS: ReadonlySet<string> = new Set(["xargs", "entr"]);

type ShellAssignment = ShellCommand["assignments"][number];

/** Whether the line sets a variable that could make a program run another one, such as `PAGER` or `PATH`. */
export function setsProgramVariables(commands: readonly ShellCommand[], line: string): boolean {
  const loopVariables = [...line.matchAll(/\bfor\s+(\w+)/g)].map(([, name = ""]) => ({ name, value: null }));
  return commands.some(changesPrograms) || loopVariables.some(isUsedByPrograms);
}

function changesPrograms({ words: parsedWords, knownPrefixes, assignments }: ShellCommand): boolean {
  const hasCommand = parsedWords.length > 0;
  const words = parsedWords.map((word, index) => word ?? `${knownPrefixes[index]}$`);
  return (
    assignments.some((assignment) => (hasCommand ? !isHarmless(assignment) : isUsedByPrograms(assignment))) ||
    findExportedAssignments(words).some((assignment) => !isHarmless(assignment)) ||
    findNamedVariables(words).some((name) => isUsedByPrograms({ name, value: null }))
  );
}

/** The variables that builtins such as `read` set. */
function findNamedVariables([name, ...rest]: readonly ShellWord[]): readonly string[] {
  return VARIABLE_NAMING_BUILTINS.has(name ?? "") ? rest.map((word) => word?.replace(/^-v/, "") ?? "") : [];
}

const VARIABLE_NAMING_BUILTINS: ReadonlySet<string> = new Set([
  "read",
  "printf",
  "mapfile",
  "readarray",
  "getopts",
  "export",
  "unset",
]);

/** The assignments of `export`, `declare -x` and `env`. `set -a` exports every later assignment. */
function findExportedAssignments([name, ...rest]: readonly ShellWord[]): readonly ShellAssignment[] {
  const program = name?.slice(name.lastIndexOf("/") + 1) ?? "";
  if (program === "set" && rest.some((word) => /^-\w*a|^allexport$/.test(word ?? "")))
    return [{ name: "*", value: null }];
  if (!EXPORTING_PROGRAMS.has(program)) return [];
  const matches = rest.map((word) => /^([A-Za-z_]\w*)\+?=(.*)$/s.exec(word ?? ""));
  return matches.flatMap((match) => (match ? [{ name: match[1] ?? "", value: match[2] ?? "" }] : []));
}

const EXPORTING_PROGRAMS: ReadonlySet<string> = new Set([
  ...["export", "declare", "typeset", "local", "readonly", "env", "sudo", "doas", "cross-env", "systemd-run"],
]);

function isHarmless({ name, value }: ShellAssignment): boolean {
  return HARMLESS_VARIABLES.test(name) || (HARMLESS_VALUES.get(name)?.test(value ?? "$") ?? false);
}

/** Variables that only affect display, logging, limits or test runs. */
const HARMLESS_VARIABLES =
  /^(?:CI|TZ|LANG|LANGUAGE|LC_[A-Z]+|TERM|COLORTERM|COLUMNS|LINES|(?:FORCE|NO|CLICOLOR|CLICOLOR_FORCE|CARGO_TERM|PY)_?COLORS?|NODE_ENV|RAILS_ENV|RACK_ENV|APP_ENV|FLASK_ENV|MIX_ENV|NODE_NO_WARNINGS|NODE_DISABLE_COLORS|DEBUG|VERBOSE|QUIET|LOG_LEVEL|LOGLEVEL|RUST_LOG|RUST_BACKTRACE|RUST_TEST_THREADS|PORT|HOST|PYTHONUNBUFFERED|PYTHONDONTWRITEBYTECODE|PYTHONUTF8|PYTHONIOENCODING|PYTHONHASHSEED|PYTEST_DISABLE_PLUGIN_AUTOLOAD|DEBIAN_FRONTEND|GOOS|GOARCH|CGO_ENABLED|GOMAXPROCS|OMP_NUM_THREADS|UV_THREADPOOL_SIZE|SOURCE_DATE_EPOCH|DO_NOT_TRACK|[A-Z]+_TELEMETRY_DISABLED|GIT_TERMINAL_PROMPT|GIT_OPTIONAL_LOCKS|GIT_(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL|DATE)|HUSKY|VITEST|JEST_WORKER_ID|UPDATE_SNAPSHOTS?|npm_config_(?:yes|loglevel|audit|fund))$/;

/** Variables that are harmless with these values only. */
const HARMLESS_VALUES: ReadonlyMap<string, RegExp> = new Map([
  ...["PAGER", "GIT_PAGER", "MANPAGER", "SYSTEMD_PAGER"].map((name) => [name, /^(?:cat)?$/] as const),
  ...["EDITOR", "GIT_EDITOR", "VISUAL", "GIT_SEQUENCE_EDITOR"].map((name) => [name, /^(?:true|:|cat)$/] as const),
  ["NODE_OPTIONS", /^(?:--(?:max-old-space-size=\d+|no-warnings|enable-source-maps|experimental-vm-modules)[ ]?)+$/],
]);

/** Whether programs read the variable. An assignment without a command only reaches programs if the variable is already exported. */
function isUsedByPrograms(assignment: ShellAssignment): boolean {
  return USED_BY_PROGRAMS.test(assignment.name) && !isHarmless(assignment);
}

const USED_BY_PROGRAMS =
  /^(?:PATH|CDPATH|IFS|ENV|HOME|PWD|OLDPWD|SHELL|SHELLOPTS|PS\d|GLOBIGNORE|BROWSER|VISUAL|OPENER|LESS.*|BASH.*|PROMPT.*|LD_.*|DYLD_.*|GIT_.*|XDG_.*|NODE_.*|NPM_.*|npm_.*|PERL.*|PYTHON.*|RUBY.*|GEM_.*|JAVA_.*|MAKE.*|CARGO.*|RUST.*|GO[A-Z]+|CC|CXX|LD|AR|TAR_OPTIONS|RSYNC_.*|SSH_.*|FZF_.*|.*PAGER|.*EDITOR|.*ASKPASS|.*_COMMAND|.*_WRAPPER)$/;

/** Whether the line runs a file that it writes itself. The content of that file is unknown. */
export function runsWrittenFile(commands: readonly ShellCommand[]): boolean {
  const paths = commands.flatMap(findWrittenPaths);
  const mayWriteAnyPath = commands.some(writesAnyPath) || (paths.some(isCodePath) && commands.some(containsCode));
  if ((paths.length === 0 && !mayWriteAnyPath) || commands.length === 1) return false;
  const names = new Set(paths.flatMap((path) => [fileStem(path), ...path.split("/").slice(0, -1)]));
  const writesTestFile = paths.some((path) => FOUND_BY_TESTS.test(path));
  const innerCommands = commands.flatMap(({ words }) => findNestedCommands(words));
  const programs = new Set(paths.map((path) => programName(path) ?? ""));
  return (
    paths.some((path) => RUN_BY_OTHER_PROGRAMS.test(path)) ||
    innerCommands.some((innerCommand) => runsWrittenProgram(innerCommand, programs)) ||
    innerCommands.some((innerCommand) => runsFile(innerCommand, names) || usesWrittenGitDir(innerCommand, paths)) ||
    (writesTestFile && innerCommands.some(runsTests)) ||
    (mayWriteAnyPath && innerCommands.some(runsAnyFile))
  );
}

/** Whether the program is found in `PATH` by a name that the line writes. Git runs `git-x` for `git x`. */
function runsWrittenProgram([program]: readonly ShellWord[], writtenPrograms: ReadonlySet<string>): boolean {
  if (program == null) return false;
  return writtenPrograms.has(program) || (program === "git" && [...writtenPrograms].some((name) => /^git-/.test(name)));
}

function runsFile([program, ...words]: readonly ShellWord[], writtenNames: ReadonlySet<string>): boolean {
  const name = programName(program) ?? "";
  if (program?.includes("/") && writtenNames.has(fileStem(name))) return true;
  return isInterpreter(name) && words.some((word) => word !== null && namesFile(word, writtenNames));
}

/** Whether a word names a written file, also as an option's value: `-fa.mk`, `-ma`. */
function namesFile(word: string, writtenNames: ReadonlySet<string>): boolean {
  const attached = /^-[a-zA-Z]+/.test(word) ? [1, 2, 3].map((index) => word.slice(index + 1)) : [];
  return (
    word === "." || [word, ...attached].some((candidate) => candidate !== "" && writtenNames.has(fileStem(candidate)))
  );
}

/** Interpreters find `a.js` by `a`, `a.py` by `-ma` and `p/index.js` by `p/`. */
function fileStem(path: string): string {
  const name = programName(path.replace(/^--?[\w-]+=/, "").replace(/\/+$/, "")) ?? "";
  return name.replace(/\.\w+$/, "").replace(/^-m/, "");
}

/** Whether git uses a folder that the line writes as repository. Its settings may name programs. */
function usesWrittenGitDir([program, ...words]: readonly ShellWord[], paths: readonly string[]): boolean {
  return programName(program) === "git" && paths.length > 0 && words.some((word) => /^--git-dir/.test(word ?? ""));
}

/** Whether the command runs tests. Test runners find their files themselves. */
function runsTests([program, ...words]: readonly ShellWord[]): boolean {
  const name = programName(program) ?? "";
  if (TEST_RUNNERS.test(name)) return true;
  return isInterpreter(name) && words.some((word) => TEST_WORDS.test(word ?? ""));
}

const TEST_RUNNERS =
  /^(?:py\.?test(?:-?[\d.]+)?|nose\d*|nosetests|tox|nox|vitest|jest|mocha|ava|tap|c8|nyc|rspec|prove|bats|phpunit)$/;
const TEST_WORDS = /^(?:--test|test|-m(?:unittest|pytest)|unittest|pytest|discover)$/;
const FOUND_BY_TESTS =
  /(?:^|\/)(?:tests?|__tests__|specs?)\/|(?:^|[/._-])(?:test|spec)s?[._-][^/]*$|[._-](?:test|spec)\.\w+$|(?:^|\/)test\.\w+$/;

/** Whether the command runs some file, whatever its name. */
function runsAnyFile(words: readonly ShellWord[]): boolean {
  const [program, ...rest] = words;
  const name = programName(program) ?? "";
  if (runsTests(words) || /^\.{0,2}\//.test(program ?? "") || /^(?:npx|bunx|pnpx)$/.test(name)) return true;
  return isInterpreter(name) && !name.endsWith("awk") && rest.some((word) => !/^-/.test(word ?? ""));
}

/** Whether a script could load the file. */
function isCodePath(path: string): boolean {
  return /(?:^|\/)[^./]+$|\.(?:sh|bash|zsh|[cm]?[jt]sx?|py|pth|rb|p[lm]|php|lua|r|jl|mk)$/i.test(path);
}

/** Whether an argument or here-document is unknown, or would start a program if it were run as code. */
function containsCode({ words, heredocBodies }: ShellCommand): boolean {
  return [...words.slice(1), ...heredocBodies].some((text) => text === null || PROGRAM_START.test(text));
}

const PROGRAM_START = /[`$]\(|\$\{|\$[A-Z]|`|system|exec|spawn|popen|subprocess|child_process|fork/i;

/** Whether the command writes files whose names are not in the line. */
function writesAnyPath({ words, outputPaths }: ShellCommand): boolean {
  const isUnknownWriter = (innerCommand: readonly ShellWord[]) =>
    WRITERS.has(programName(innerCommand[0]) ?? "") && innerCommand.includes(null);
  return (
    outputPaths.includes(null) ||
    findNestedCommands(words).some((innerCommand) => choosesFileNames(innerCommand) || isUnknownWriter(innerCommand))
  );
}

function choosesFileNames([program, ...rest]: readonly ShellWord[]): boolean {
  const name = programName(program) ?? "";
  const has = (pattern: RegExp) => rest.some((word) => word === null || pattern.test(word));
  if (NAME_CHOOSING_WRITERS.has(name)) return !has(/^(?:-\w*[ctl]|--stdout|--to-stdout|--test|--list|--dry-run)$/);
  if (name === "git") return has(/^(?:apply|am)$/) && !has(/^--(?:check|stat|numstat|summary)$/);
  if (name === "tar" || name === "bsdtar") return has(/^-?[a-zA-Z]*x|^--extract|^--get$/);
  // `print > ("a" "b")`; a single quoted name is known.
  return name.endsWith("awk") && has(/\bprintf?\b[^;}\n]*>\s*(?:[^"\s\d]|"[^"]*"\s*[^\s;}])/);
}

/** Programs that choose file names themselves. With `-c`, `-t` or `-l` most of them write no file. */
const NAME_CHOOSING_WRITERS: ReadonlySet<string> = new Set([
  ...["patch", "gunzip", "unxz", "bunzip2", "unzstd", "unlz4", "uncompress", "unlzma", "lzip", "gzip", "xz", "bzip2"],
  ...["zstd", "unzip", "7z", "7za", "7zz", "cpio", "pax", "uudecode", "unar", "unrar", "shar"],
  ...["split", "csplit", "bsplit"],
]);

function findWrittenPaths({ words, outputPaths }: ShellCommand): readonly string[] {
  const [program, ...rest] = words;
  const name = programName(program) ?? "";
  const isWriter = WRITERS.has(name) || (name === "sed" && rest.some((word) => /^-\w*i|^--in/.test(word ?? "")));
  const operands = isWriter ? rest.map((word) => word?.replace(/^(?:of=|-o|--[a-z-]+=)/, "") ?? null) : [];
  // `print > "file"` of awk, `--output` of git, and the default output of a compiler.
  const awkPaths = name.endsWith("awk") ? rest.flatMap((word) => word?.match(/(?<=")[^"]+(?=")/g) ?? []) : [];
  const outputOptionPaths = rest.flatMap((word, index) => {
    const [whole, value = rest[index + 1] ?? null] = /^--output(?:=(.+))?$/s.exec(word ?? "") ?? [];
    return whole === undefined ? [] : [value];
  });
  const paths = [...operands, ...awkPaths, ...(COMPILERS.has(name) ? ["a.out"] : [])];
  return [
    ...[...outputPaths, ...outputOptionPaths].filter((path) => path !== null && path !== "" && !DEVICE_PATH.test(path)),
    ...paths.filter((path) => path !== null && !/^(?:-.*|\d{1,3}|)$/s.test(path) && !DEVICE_PATH.test(path)),
  ].filter((path) => path !== null);
}

/** /dev/shm and /dev/mqueue contain ordinary files. */
const DEVICE_PATH = /^\/dev\/(?!shm\/|mqueue\/)/;

const COMPILERS: ReadonlySet<string> = new Set(["gcc", "cc", "clang", "g++", "c++", "clang++", "rustc", "go"]);
const WRITERS: ReadonlySet<string> = new Set([
  ...COMPILERS,
  ...["cp", "mv", "ln", "link", "install", "tee", "dd", "curl", "wget", "rsync", "scp", "sponge", "patch", "truncate"],
  ...["find", "sort", "uniq", "shuf", "split", "csplit", "script", "strace", "openssl", "gpg", "xxd", "uudecode"],
  ...["mkfifo", "ed", "zip", "unzip", "tar", "cpio", "ar", "objcopy", "iconv", "base64"],
]);
/** Files that other programs find and run. */
const RUN_BY_OTHER_PROGRAMS =
  /(?:^|\/)(?:(?:GNU)?[Mm]akefile|[Jj]ustfile|Taskfile\.ya?ml|Rakefile|Gemfile|CMakeLists\.txt|build\.(?:xml|rs|ninja)|Cargo\.toml|package\.json|(?:conftest|setup|(?:site|user)customize)\.py|[\w.-]+\.config\.[cm]?[jt]s|hooks\/[\w-]+|config|node_modules\/.+|\.(?:bash\w*|profile|z\w+|gitconfig|gitattributes|npmrc|inputrc|vimrc|lesskey|envrc|git\/.+|cargo\/.+))$/;
