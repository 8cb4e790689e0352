/** Generates the completion scripts for bash, fish and zsh from the tables of flags and subcommands. */

import type { Subcommand } from "../../args/subcommand.ts";
import { firstWords, groups, type Line, type LineFlag, lines, type Words } from "./completions.ts";

/** Works with bash 3 and later. */
export function bashScript(all: readonly Line[]): string {
  const names = firstWords(all).map(([word]) => word);
  const grouped = [...groups(all)];
  return `# Completions of pith for bash; made by: pith completions bash
_pith() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" name="" words="" kind="words" word=""
  COMPREPLY=()
  if [ "$COMP_CWORD" -gt 1 ]; then
    case "\${COMP_WORDS[1]}" in
${grouped.map(([group]) => `      ${group}) name="${group}"; [ "$COMP_CWORD" -gt 2 ] && name="${group} \${COMP_WORDS[2]}" ;;`).join("\n")}
      ${names.filter((name) => !grouped.some(([group]) => group === name)).join("|")}) name="\${COMP_WORDS[1]}" ;;
    esac
  fi
  case "$name:$previous" in
${all.flatMap(valueCases).join("\n")}
    *)
      case "$name" in
${all.map(flagCase).join("\n")}
${grouped.map(([group, members]) => `        "${group}") words="${members.map(({ name }) => name.split(" ")[1]).join(" ")} --help" ;;`).join("\n")}
      esac
      # No files here, or a folder called like a subcommand would come with a slash.
      [ "$COMP_CWORD" = 1 ] && words="$words ${names.join(" ")}" && kind="words"
      ;;
  esac
${ANSWERS}
}
complete -F _pith pith`;
}

/** From the words and the kind of what may stand there to those that begin as what was typed. */
const ANSWERS = `  case "$kind" in
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

/** What stands behind a flag that takes something. */
function valueCases({ name, flags }: Line): readonly string[] {
  return flags.flatMap((flag) => {
    if (flag.value === null) return [];
    const patterns = spellings(flag).map((spelling) => `"${name}:${spelling}"`);
    return [`    ${patterns.join("|")}) ${saidFor(flag.value)} ;;`];
  });
}

function saidFor(words: Words): string {
  return typeof words === "string" ? `kind="${words}"` : `words="${words.join(" ")}"`;
}

function flagCase({ name, flags, words }: Line): string {
  const known = flags.flatMap(spellings).join(" ");
  if (typeof words === "string") return `        "${name}") words="${known}"; kind="${words}" ;;`;
  return `        "${name}") words="${[known, ...words].join(" ")}" ;;`;
}

export function spellings({ name, short }: LineFlag): readonly string[] {
  return [`--${name}`, ...(short === undefined ? [] : [`-${short}`])];
}

export function fishScript(all: readonly Line[]): string {
  return [
    "# Completions of pith for fish; made by: pith completions fish",
    START,
    ...firstWords(all).map(([word, says]) => complete("__pith_at ''", `-f -a ${quoted(word)} -d ${quoted(says)}`)),
    ...[...groups(all)].flatMap(([group, members]) =>
      members.map(({ name, says }) =>
        complete(`__pith_at ${quoted(group)}`, `-f -a ${quoted(name.split(" ")[1] ?? "")} -d ${quoted(says)}`),
      ),
    ),
    ...all.flatMap(linesFor),
  ].join("\n");
}

/** `__pith_at NAME`: just these words stand there. `__pith_in NAME`: they do, and more may follow. */
const START = `function __pith_words
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

function linesFor({ name, flags, words }: Line): readonly string[] {
  const where = `__pith_in ${quoted(name)}`;
  const own =
    name === "" || (typeof words !== "string" && words.length === 0) ? [] : [complete(where, valueFor(words))];
  return [...own, ...flags.map((flag) => complete(where, flagFor(flag)))];
}

function flagFor({ name, short, says, value }: LineFlag): string {
  const parts = [short === undefined ? "" : `-s ${short}`, `-l ${name}`, value === null ? "" : `-r ${valueFor(value)}`];
  return [...parts, `-d ${quoted(says)}`].filter((part) => part !== "").join(" ");
}

function valueFor(words: Words): string {
  if (words === "sessions") return "-f -a '(__pith_sessions)'";
  if (words === "folders") return "-f -a '(__fish_complete_directories)'";
  return words === "files" ? "-F" : `-f -a ${quoted(words.join(" "))}`;
}

function complete(where: string, what: string): string {
  return `complete -c pith -n ${quoted(where)} ${what}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}

export function zshScript(all: readonly Line[]): string {
  const grouped = [...groups(all)];
  return `#compdef pith
# Completions of pith for zsh; made by: pith completions zsh
_pith() {
  local name="" first="\${words[2]}" previous="\${words[CURRENT-1]}"
  local -a found
  if (( CURRENT > 2 )); then
    case "$first" in
${grouped.map(([group]) => `      ${group}) name="${group}"; (( CURRENT > 3 )) && name="${group} \${words[3]}" ;;`).join("\n")}
      ${all.flatMap(({ name }) => (name === "" || name.includes(" ") ? [] : [name])).join("|")}) name="$first" ;;
    esac
  fi
  case "$name:$previous" in
${all.flatMap(zshValueCases).join("\n")}
  esac
  if [[ "$PREFIX" == -* ]]; then
    case "$name" in
${all.map(zshFlagCase).join("\n")}
    esac
    _describe -o 'flag' found
    return
  fi
  case "$name" in
${all.map((line) => `    ${quoteForZsh(line.name)}) ${line.name === "" ? firsts(all) : wordsOf(line.words)} ;;`).join("\n")}
${grouped.map(([group, members]) => `    ${quoteForZsh(group)}) found=(${members.map(({ name, says }) => pair(name.split(" ")[1] ?? "", says)).join(" ")}); _describe 'subcommand' found ;;`).join("\n")}
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

function zshValueCases({ name, flags }: Line): readonly string[] {
  return flags.flatMap((flag) => {
    if (flag.value === null) return [];
    const patterns = spellings(flag).map((spelling) => quoteForZsh(`${name}:${spelling}`));
    return [`    ${patterns.join("|")}) ${wordsOf(flag.value)}; return ;;`];
  });
}

function zshFlagCase({ name, flags }: Line): string {
  const pairs = flags.flatMap((flag) => spellings(flag).map((spelling) => pair(spelling, flag.says)));
  return `      ${quoteForZsh(name)}) found=(${pairs.join(" ")}) ;;`;
}

function firsts(all: readonly Line[]): string {
  const pairs = firstWords(all).map(([word, says]) => pair(word, says));
  return `(( CURRENT == 2 )) && { found=(${pairs.join(" ")}); _describe 'subcommand' found; return }; _files`;
}

function wordsOf(words: Words): string {
  if (words === "sessions") return "_pith_sessions";
  if (words === "folders") return "_files -/";
  if (words === "files") return "_files";
  return words.length === 0 ? ":" : `compadd -- ${words.map(quoteForZsh).join(" ")}`;
}

/** A colon parts the word from what it is for. */
function pair(word: string, says: string): string {
  return quoteForZsh(`${word.replaceAll(":", "\\:")}:${says}`);
}

function quoteForZsh(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

export const scripts: Readonly<Record<string, (all: readonly Subcommand[]) => string>> = {
  bash: (all) => bashScript(lines(all)),
  zsh: (all) => zshScript(lines(all)),
  fish: (all) => fishScript(lines(all)),
};
