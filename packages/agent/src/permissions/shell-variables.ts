/** Tells which variables a line may set without changing what its commands run. */

import type { ShellCommand, ShellWord } from "@pith/context/host";

type ShellAssignment = ShellCommand["assignments"][number];

/** Whether a variable that a command sets, for itself or for those behind it, could make a program run another. */
export function setsProgramVariables(commands: readonly ShellCommand[], line: string): boolean {
  const loopVariables = [...line.matchAll(/\bfor\s+(\w+)/g)].map(([, name = ""]) => ({ name, value: null }));
  return commands.some(changesPrograms) || loopVariables.some(isUsedByPrograms);
}

function changesPrograms({ words: parsedWords, knownPrefixes, assignments }: ShellCommand): boolean {
  const hasCommand = parsedWords.length > 0;
  const words = parsedWords.map((word, index) => word ?? `${knownPrefixes[index]}$`);
  return (
    assignments.some((assignment) => (hasCommand ? !isHarmless(assignment) : isUsedByPrograms(assignment))) ||
    exportedAssignments(words).some((assignment) => !isHarmless(assignment)) ||
    namedVariables(words).some((name) => isUsedByPrograms({ name, value: null }))
  );
}

/** What `read` and its like set. */
function namedVariables([name, ...rest]: readonly ShellWord[]): readonly string[] {
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

/** What `export`, `declare -x` and `env` set; `set -a` exports all that comes behind it. */
function exportedAssignments([name, ...rest]: readonly ShellWord[]): readonly ShellAssignment[] {
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

/** Variables that programs show, log, count or test by. */
const HARMLESS_VARIABLES =
  /^(?:CI|TZ|LANG|LANGUAGE|LC_[A-Z]+|TERM|COLORTERM|COLUMNS|LINES|(?:FORCE|NO|CLICOLOR|CLICOLOR_FORCE|CARGO_TERM|PY)_?COLORS?|NODE_ENV|RAILS_ENV|RACK_ENV|APP_ENV|FLASK_ENV|MIX_ENV|NODE_NO_WARNINGS|NODE_DISABLE_COLORS|DEBUG|VERBOSE|QUIET|LOG_LEVEL|LOGLEVEL|RUST_LOG|RUST_BACKTRACE|RUST_TEST_THREADS|PORT|HOST|PYTHONUNBUFFERED|PYTHONDONTWRITEBYTECODE|PYTHONUTF8|PYTHONIOENCODING|PYTHONHASHSEED|PYTEST_DISABLE_PLUGIN_AUTOLOAD|DEBIAN_FRONTEND|GOOS|GOARCH|CGO_ENABLED|GOMAXPROCS|OMP_NUM_THREADS|UV_THREADPOOL_SIZE|SOURCE_DATE_EPOCH|DO_NOT_TRACK|[A-Z]+_TELEMETRY_DISABLED|GIT_TERMINAL_PROMPT|GIT_OPTIONAL_LOCKS|GIT_(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL|DATE)|HUSKY|VITEST|JEST_WORKER_ID|UPDATE_SNAPSHOTS?|npm_config_(?:yes|loglevel|audit|fund))$/;

/** Variables that are harmless with these values. */
const HARMLESS_VALUES: ReadonlyMap<string, RegExp> = new Map([
  ...["PAGER", "GIT_PAGER", "MANPAGER", "SYSTEMD_PAGER"].map((name) => [name, /^(?:cat)?$/] as const),
  ...["EDITOR", "GIT_EDITOR", "VISUAL", "GIT_SEQUENCE_EDITOR"].map((name) => [name, /^(?:true|:|cat)$/] as const),
  ["NODE_OPTIONS", /^(?:--(?:max-old-space-size=\d+|no-warnings|enable-source-maps|experimental-vm-modules)[ ]?)+$/],
]);

/** A variable that is set alone reaches programs only where it is exported already. */
function isUsedByPrograms(assignment: ShellAssignment): boolean {
  return USED_BY_PROGRAMS.test(assignment.name) && !isHarmless(assignment);
}

const USED_BY_PROGRAMS =
  /^(?:PATH|CDPATH|IFS|ENV|HOME|PWD|OLDPWD|SHELL|SHELLOPTS|PS\d|GLOBIGNORE|BROWSER|VISUAL|OPENER|LESS.*|BASH.*|PROMPT.*|LD_.*|DYLD_.*|GIT_.*|XDG_.*|NODE_.*|NPM_.*|npm_.*|PERL.*|PYTHON.*|RUBY.*|GEM_.*|JAVA_.*|MAKE.*|CARGO.*|RUST.*|GO[A-Z]+|CC|CXX|LD|AR|TAR_OPTIONS|RSYNC_.*|SSH_.*|FZF_.*|.*PAGER|.*EDITOR|.*ASKPASS|.*_COMMAND|.*_WRAPPER)$/;
