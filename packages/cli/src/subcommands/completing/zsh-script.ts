/** The completions of zsh, with what each word is for. */

import { spellings } from "./bash-script.ts";
import { firstWords, groups, type Line, type Words } from "./lines.ts";

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
${all.flatMap(valueCases).join("\n")}
  esac
  if [[ "$PREFIX" == -* ]]; then
    case "$name" in
${all.map(flagCase).join("\n")}
    esac
    _describe -o 'flag' found
    return
  fi
  case "$name" in
${all.map((line) => `    ${quoted(line.name)}) ${line.name === "" ? firsts(all) : wordsOf(line.words)} ;;`).join("\n")}
${grouped.map(([group, members]) => `    ${quoted(group)}) found=(${members.map(({ name, says }) => pair(name.split(" ")[1] ?? "", says)).join(" ")}); _describe 'subcommand' found ;;`).join("\n")}
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

function valueCases({ name, flags }: Line): readonly string[] {
  return flags.flatMap((flag) => {
    if (flag.value === null) return [];
    const patterns = spellings(flag).map((spelling) => quoted(`${name}:${spelling}`));
    return [`    ${patterns.join("|")}) ${wordsOf(flag.value)}; return ;;`];
  });
}

function flagCase({ name, flags }: Line): string {
  const pairs = flags.flatMap((flag) => spellings(flag).map((spelling) => pair(spelling, flag.says)));
  return `      ${quoted(name)}) found=(${pairs.join(" ")}) ;;`;
}

function firsts(all: readonly Line[]): string {
  const pairs = firstWords(all).map(([word, says]) => pair(word, says));
  return `(( CURRENT == 2 )) && { found=(${pairs.join(" ")}); _describe 'subcommand' found; return }; _files`;
}

function wordsOf(words: Words): string {
  if (words === "sessions") return "_pith_sessions";
  if (words === "folders") return "_files -/";
  if (words === "files") return "_files";
  return words.length === 0 ? ":" : `compadd -- ${words.map(quoted).join(" ")}`;
}

/** A colon parts the word from what it is for. */
function pair(word: string, says: string): string {
  return quoted(`${word.replaceAll(":", "\\:")}:${says}`);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
