/** Generates the completion scripts for bash, fish and zsh from the tables of flags and subcommands. */

import type { Subcommand } from "../../args/subcommand.ts";
import {
  type CommandCompletion,
  type CompletionValues,
  type FlagCompletion,
  groupCommands,
  listCommandCompletions,
  listFirstWords,
} from "./completions.ts";

/** Generates a script that works with bash 3 and later. */
export function createBashScript(commands: readonly CommandCompletion[]): string {
  const firstWordNames = listFirstWords(commands).map(([word]) => word);
  const commandGroups = [...groupCommands(commands)];
  return `# Completions of pith for bash; made by: pith completions bash
_pith() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" name="" words="" kind="words" word=""
  COMPREPLY=()
  if [ "$COMP_CWORD" -gt 1 ]; then
    case "\${COMP_WORDS[1]}" in
${commandGroups.map(([group]) => `      ${group}) name="${group}"; [ "$COMP_CWORD" -gt 2 ] && name="${group} \${COMP_WORDS[2]}" ;;`).join("\n")}
      ${firstWordNames.filter((name) => !commandGroups.some(([group]) => group === name)).join("|")}) name="\${COMP_WORDS[1]}" ;;
    esac
  fi
  case "$name:$previous" in
${commands.flatMap(formatBashValueCases).join("\n")}
    *)
      case "$name" in
${commands.map(formatBashFlagCase).join("\n")}
${commandGroups.map(([group, members]) => `        "${group}") words="${members.map(({ name }) => name.split(" ")[1]).join(" ")} --help" ;;`).join("\n")}
      esac
      # No files here, or a folder called like a subcommand would come with a slash.
      [ "$COMP_CWORD" = 1 ] && words="$words ${firstWordNames.join(" ")}" && kind="words"
      ;;
  esac
${BASH_REPLY_SCRIPT}
}
complete -F _pith pith`;
}

/** Fills COMPREPLY with the candidates from `words` and `kind` that start with the typed text. */
const BASH_REPLY_SCRIPT = `  case "$kind" in
    sessions)
      # Not by compgen, which would expand what it is given.
      while IFS=$'\\t' read -r word _; do
        case "$word" in "$current"*) COMPREPLY+=("$word") ;; esac
      done < <("\${COMP_WORDS[0]}" __sessions 2>/dev/null)
      ;;
    folders) compopt -o filenames 2>/dev/null; while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -d -- "$current") ;;
    files) compopt -o filenames 2>/dev/null; while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$current") ;;
  esac
  case "$current" in
    -*) COMPREPLY=($(compgen -W "$words" -- "$current")) ;;
    *) [ -n "$words" ] && COMPREPLY+=($(compgen -W "$(printf '%s\\n' $words | grep -v '^-')" -- "$current")) ;;
  esac`;

/** Completes the values of flags. */
function formatBashValueCases({ name, flags }: CommandCompletion): readonly string[] {
  return flags.flatMap((flag) => {
    if (flag.values === null) return [];
    const patterns = listFlagSpellings(flag).map((spelling) => `"${name}:${spelling}"`);
    return [`    ${patterns.join("|")}) ${formatBashValues(flag.values)} ;;`];
  });
}

function formatBashValues(values: CompletionValues): string {
  return typeof values === "string" ? `kind="${values}"` : `words="${values.join(" ")}"`;
}

function formatBashFlagCase({ name, flags, argumentValues }: CommandCompletion): string {
  const flagNames = flags.flatMap(listFlagSpellings).join(" ");
  if (typeof argumentValues === "string") return `        "${name}") words="${flagNames}"; kind="${argumentValues}" ;;`;
  return `        "${name}") words="${[flagNames, ...argumentValues].join(" ")}" ;;`;
}

export function listFlagSpellings({ name, short }: FlagCompletion): readonly string[] {
  return [`--${name}`, ...(short === undefined ? [] : [`-${short}`])];
}

export function createFishScript(commands: readonly CommandCompletion[]): string {
  return [
    "# Completions of pith for fish; made by: pith completions fish",
    FISH_FUNCTIONS,
    ...listFirstWords(commands).map(([word, description]) =>
      formatFishComplete("__pith_at ''", `-f -a ${quoteForFish(word)} -d ${quoteForFish(description)}`),
    ),
    ...[...groupCommands(commands)].flatMap(([group, members]) =>
      members.map(({ name, description }) =>
        formatFishComplete(
          `__pith_at ${quoteForFish(group)}`,
          `-f -a ${quoteForFish(name.split(" ")[1] ?? "")} -d ${quoteForFish(description)}`,
        ),
      ),
    ),
    ...commands.flatMap(formatFishLines),
  ].join("\n");
}

/** `__pith_at NAME` is true if the command line has exactly these words. `__pith_in NAME` is true if it starts with them. */
const FISH_FUNCTIONS = `function __pith_words
    set -l words (commandline -opc)
    for word in $words[2..-1]
        string match -q -- '-*' $word; and break
        echo -- $word
    end
end
function __pith_at
    set -l words (__pith_words)
    test "$words" = "$argv[1]"; and test (count (commandline -opc)) -le (math 1 + (count $words))
end
function __pith_in
    set -l words (__pith_words)
    test -z "$argv[1]"; and begin; test (count $words) -eq 0; return; end
    string match -q -- "$argv[1] *" "$words "
end
function __pith_sessions
    set -l program (commandline -opc)[1]
    $program __sessions 2>/dev/null
end`;

function formatFishLines({ name, flags, argumentValues }: CommandCompletion): readonly string[] {
  const condition = `__pith_in ${quoteForFish(name)}`;
  const argumentLines =
    name === "" || (typeof argumentValues !== "string" && argumentValues.length === 0)
      ? []
      : [formatFishComplete(condition, formatFishValues(argumentValues))];
  return [...argumentLines, ...flags.map((flag) => formatFishComplete(condition, formatFishFlag(flag)))];
}

function formatFishFlag({ name, short, description, values }: FlagCompletion): string {
  const parts = [
    short === undefined ? "" : `-s ${short}`,
    `-l ${name}`,
    values === null ? "" : `-r ${formatFishValues(values)}`,
  ];
  return [...parts, `-d ${quoteForFish(description)}`].filter((part) => part !== "").join(" ");
}

function formatFishValues(values: CompletionValues): string {
  if (values === "sessions") return "-f -a '(__pith_sessions)'";
  if (values === "folders") return "-f -a '(__fish_complete_directories)'";
  return values === "files" ? "-F" : `-f -a ${quoteForFish(values.join(" "))}`;
}

function formatFishComplete(condition: string, options: string): string {
  return `complete -c pith -n ${quoteForFish(condition)} ${options}`;
}

function quoteForFish(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}

export function createZshScript(commands: readonly CommandCompletion[]): string {
  const commandGroups = [...groupCommands(commands)];
  return `#compdef pith
# Completions of pith for zsh; made by: pith completions zsh
_pith() {
  local name="" first="\${words[2]}" previous="\${words[CURRENT-1]}"
  local -a found
  if (( CURRENT > 2 )); then
    case "$first" in
${commandGroups.map(([group]) => `      ${group}) name="${group}"; (( CURRENT > 3 )) && name="${group} \${words[3]}" ;;`).join("\n")}
      ${commands.flatMap(({ name }) => (name === "" || name.includes(" ") ? [] : [name])).join("|")}) name="$first" ;;
    esac
  fi
  case "$name:$previous" in
${commands.flatMap(formatZshValueCases).join("\n")}
  esac
  if [[ "$PREFIX" == -* ]]; then
    case "$name" in
${commands.map(formatZshFlagCase).join("\n")}
    esac
    _describe -o 'flag' found
    return
  fi
  case "$name" in
${commands.map((command) => `    ${quoteForZsh(command.name)}) ${command.name === "" ? formatZshFirstWords(commands) : formatZshValues(command.argumentValues)} ;;`).join("\n")}
${commandGroups.map(([group, members]) => `    ${quoteForZsh(group)}) found=(${members.map(({ name, description }) => formatZshPair(name.split(" ")[1] ?? "", description)).join(" ")}); _describe 'subcommand' found ;;`).join("\n")}
  esac
}
_pith_sessions() {
  local -a found
  local id says
  while IFS=$'\\t' read -r id says; do found+=("$id:$says"); done < <(\${words[1]} __sessions 2>/dev/null)
  _describe 'session' found
}
if [ "$funcstack[1]" = "_pith" ]; then _pith "$@"; else compdef _pith pith; fi`;
}

function formatZshValueCases({ name, flags }: CommandCompletion): readonly string[] {
  return flags.flatMap((flag) => {
    if (flag.values === null) return [];
    const patterns = listFlagSpellings(flag).map((spelling) => quoteForZsh(`${name}:${spelling}`));
    return [`    ${patterns.join("|")}) ${formatZshValues(flag.values)}; return ;;`];
  });
}

function formatZshFlagCase({ name, flags }: CommandCompletion): string {
  const pairs = flags.flatMap((flag) =>
    listFlagSpellings(flag).map((spelling) => formatZshPair(spelling, flag.description)),
  );
  return `      ${quoteForZsh(name)}) found=(${pairs.join(" ")}) ;;`;
}

function formatZshFirstWords(commands: readonly CommandCompletion[]): string {
  const pairs = listFirstWords(commands).map(([word, description]) => formatZshPair(word, description));
  return `(( CURRENT == 2 )) && { found=(${pairs.join(" ")}); _describe 'subcommand' found; return }; _files`;
}

function formatZshValues(values: CompletionValues): string {
  if (values === "sessions") return "_pith_sessions";
  if (values === "folders") return "_files -/";
  if (values === "files") return "_files";
  return values.length === 0 ? ":" : `compadd -- ${values.map(quoteForZsh).join(" ")}`;
}

/** zsh separates the word from its description with a colon. */
function formatZshPair(word: string, description: string): string {
  return quoteForZsh(`${word.replaceAll(":", "\\:")}:${description}`);
}

function quoteForZsh(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

export const completionScripts: Readonly<Record<string, (all: readonly Subcommand[]) => string>> = {
  bash: (all) => createBashScript(listCommandCompletions(all)),
  zsh: (all) => createZshScript(listCommandCompletions(all)),
  fish: (all) => createFishScript(listCommandCompletions(all)),
};
