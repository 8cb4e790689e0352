/** The completions of bash, which works with what it has had since version 3. */

import { firstWords, groups, type Line, type LineFlag, type Words } from "./lines.ts";

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
