/**
 * The `git` that sandboxed commands find first. The settings of a repository are read-only for commands, so a subcommand that changes them
 * gets a copy of them, which this program hands to Pith when git has ended. All other subcommands run git directly.
 */

import { existsSync, mkdirSync, rmdirSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Where commands see the program and the folder for requests. `/run` is otherwise empty for them. */
export const GIT_SHIM_FOLDER = "/run/pith-git";
export const GIT_REQUESTS_FOLDER: string = `${GIT_SHIM_FOLDER}/requests`;

/** The name of the file that announces a request. Its lines are the name of the request's folder, its kind and the path it is about. */
export const REQUEST_NAME = "request";

/** The files in the folder of a request. */
export const REQUEST_FILES = { oldConfig: "base", newConfig: "top/common/config", answer: "answer" } as const;

/** Writes the program into a new folder that commands cannot write. */
export function writeGitShim(folder: string, { isSigned }: { readonly isSigned: boolean }): void {
  mkdirSync(join(folder, "requests"), { mode: 0o700 });
  writeFileSync(join(folder, "git"), SHIM_SCRIPT, { mode: 0o700, flag: "wx" });
  if (isSigned) writeFileSync(join(folder, "signed"), "", { flag: "wx" });
}

export function removeGitShim(folder: string): void {
  rmdirSync(join(folder, "requests"));
  unlinkSync(join(folder, "git"));
  if (existsSync(join(folder, "signed"))) unlinkSync(join(folder, "signed"));
  rmdirSync(folder);
}

/** Hooks of a working tree. */
const WRAPPED_HOOKS = [
  ...["applypatch-msg", "commit-msg", "post-applypatch", "post-checkout", "post-commit", "post-index-change"],
  ...["post-merge", "post-rewrite", "pre-applypatch", "pre-commit", "pre-merge-commit", "pre-push", "pre-rebase"],
  ...["prepare-commit-msg", "reference-transaction"],
];

/** For any POSIX shell. The paths to \`exec\` come first, because nearly all calls take them. */
const SHIM_SCRIPT = `#!/bin/sh
# Pith: sandboxed commands run git with this program. The settings of a repository are read-only for them. A subcommand
# that changes settings gets a copy, and Pith takes over the changes. All other subcommands run git directly.
own=${GIT_SHIM_FOLDER}
requests=$own/requests
if [ "\${0##*/}" != git ]; then
  # A hook, which may run git in other repositories: it gets no copy of the settings.
  hook=$PITH_GIT_HOOKS/\${0##*/}
  if [ -n "$PITH_GIT_CONFIG_COUNT" ]; then GIT_CONFIG_COUNT=$PITH_GIT_CONFIG_COUNT; else unset GIT_CONFIG_COUNT; fi
  unset GIT_COMMON_DIR PITH_GIT_HOOKS PITH_GIT_CONFIG_COUNT
  PATH=$own:$PATH
  exec "$hook" "$@"
fi
set -f
IFS=:
real=
for folder in $PATH; do
  [ "$folder" = "$own" ] && continue
  if [ -f "$folder/git" ] && [ -x "$folder/git" ]; then real=$folder/git; break; fi
done
unset IFS
set +f
if [ -z "$real" ]; then echo "git: command not found" >&2; exit 127; fi
[ -n "$GIT_COMMON_DIR" ] && exec "$real" "$@"

command= skip= flags= count=0 before=0 first= dashes=
for word do
  if [ -z "$command" ]; then
    before=$((before + 1))
    if [ -n "$skip" ]; then skip=; continue; fi
    case $word in
      -C | -c | --git-dir | --work-tree | --namespace | --config-env | --super-prefix | --attr-source) skip=1 ;;
      -*) ;;
      config | remote | branch | push | checkout | switch | submodule | sparse-checkout | lfs | worktree | init | fetch | pull | commit | tag | merge) command=$word before=$((before - 1)) ;;
      *) exec "$real" "$@" ;;
    esac
  else
    case $word in
      --) dashes=1; break ;;
      -*) flags="$flags $word" ;;
      *) count=$((count + 1)); [ -n "$first" ] || first=$word ;;
    esac
  fi
done
flags="$flags "

# Runs git with the options before the subcommand, and then the words in $asked.
ask_git() {
  total=$# index=0
  for word do
    index=$((index + 1))
    [ "$index" -le "$before" ] || break
    case $word in -p | --paginate) continue ;; esac
    set -- "$@" "$word"
  done
  shift "$total"
  set -f
  "$real" "$@" $asked
}

changes=
case $command in
  config)
    case $flags in
      *" --get"* | *" -l "* | *" --list "* | *" --global "* | *" --system "* | *" -f "* | *" --file"* | *" --blob"* | *" --worktree "*) ;;
      *" --unset"* | *" --remove-section"* | *" -e "* | *" --edit "*) changes=1 ;;
      *) case $first in get | list) ;; edit) changes=1 ;; *) [ "$count" -gt 1 ] && changes=1 ;; esac ;;
    esac ;;
  remote) case $first in add | rename | remove | rm | set-url | set-branches) changes=1 ;; esac ;;
  branch)
    case $flags in
      *" --list "* | *" -l "* | *" --contains"* | *" --no-contains"* | *" --merged"* | *" --no-merged"* | *" --points-at"* | *" --show-current "*) ;;
      *" --unset-upstream "* | *" --edit-description "* | *" --set-upstream-to"*) changes=1 ;;
      *) [ "$count" -gt 0 ] && changes=1 ;;
    esac ;;
  push)
    case $flags in
      *" --set-up"* | *" -u "* | *" -"[!-]*u*) changes=1 ;;
      *) asked="config --type=bool push.autoSetupRemote"; [ "$(ask_git "$@" 2>/dev/null)" = true ] && changes=1 ;;
    esac ;;
  checkout | switch)
    case $flags in
      *" -b"* | *" -B"* | *" -c"* | *" -C"* | *" -t"* | *" --track"* | *" --create"* | *" --force-create"*) changes=1 ;;
      *)
        # The name of a remote branch creates a local branch that tracks it.
        if [ -z "$dashes" ] && [ "$count" = 1 ]; then
          asked="show-ref --verify --quiet refs/heads/$first"
          (ask_git "$@") 2>/dev/null || changes=1
        fi ;;
    esac ;;
  submodule) case $first in add | init | update | deinit | sync | set-url | set-branch | absorbgitdirs) changes=1 ;; esac ;;
  sparse-checkout) case $first in init | set | add | reapply | disable) changes=1 ;; esac ;;
  lfs) case $first in install | uninstall | update) changes=1 ;; esac ;;
  worktree) case $first in add | remove | prune) changes=1 ;; esac ;;
  init) [ "$count" = 0 ] && [ -d .git ] && case $flags in *" --bare "* | *" --separate"*) ;; *) changes=1 ;; esac ;;
  fetch | pull) case $flags in *" --set-upstream "*) changes=1 ;; esac ;;
  commit | tag | merge)
    case $flags in *" --no-gpg-sign "* | *" --no-sign "*) exec "$real" "$@" ;; esac
    key=commit.gpgSign
    if [ "$command" = tag ]; then
      [ "$count" = 0 ] && exec "$real" "$@"
      case $flags in *" -l"* | *" --list"* | *" -d"* | *" --delete"* | *" -v"*) exec "$real" "$@" ;; esac
      key=tag.gpgSign
    fi
    asked="config --type=bool $key"
    signs=$(ask_git "$@" 2>/dev/null)
    case $flags in *" -S"* | *" --gpg-sign"*) signs=true ;; esac
    [ "$command" = tag ] && case $flags in *" -s "* | *" --sign "* | *" -u"*) signs=true ;; esac
    if [ "$signs" = true ]; then
      "$real" "$@"
      status=$?
      [ "$status" = 0 ] || echo "pith: if signing failed, the signing key is outside the sandbox. Run the command with outside: true, which asks the user, or with --no-gpg-sign." >&2
      exit "$status"
    fi
    if [ "$command" = commit ] && [ -z "$signs" ] && [ -e $own/signed ]; then
      "$real" "$@"
      status=$?
      [ "$status" = 0 ] && echo "pith: the commit is not signed: the user's signing key is outside the sandbox. To sign it, run git commit --amend --no-edit -S with outside: true." >&2
      exit "$status"
    fi ;;
esac
[ -n "$changes" ] || exec "$real" "$@"

# Sends a request, and sets $answer and $message.
request() {
  answer=no message="there were too many requests" tries=0
  mkfifo -m 600 "$work/answer" && exec 9<>"$work/answer" || return
  printf '%s\\n' "\${work##*/}" "$1" "$2" >"$work/${REQUEST_NAME}"
  until ln "$work/${REQUEST_NAME}" "$requests/${REQUEST_NAME}" 2>/dev/null; do
    tries=$((tries + 1))
    if [ "$tries" -gt 300 ]; then return; fi
    sleep 0.1
  done
  read -r answer message <&9
  exec 9>&-
  rm -f "$work/answer"
}

asked="rev-parse --path-format=absolute --git-common-dir --git-path hooks"
places=$(ask_git "$@" 2>/dev/null) || exec "$real" "$@"
common=\${places%%
*}
hooks=\${places#*
}
# A repository that this command made can be changed directly.
if [ ! -f "$common/config" ] || [ -w "$common/config" ] || [ ! -w "$common/refs" ]; then exec "$real" "$@"; fi
work=$(mktemp -d "$requests/work.XXXXXXXX") || exec "$real" "$@"

# The folder of a worktree that existed before the command is protected. Pith removes it when its working tree is gone.
if [ "$command" = worktree ] && [ "$first" != add ]; then
  "$real" "$@" 2>"$work/errors"
  status=$?
  for folder in "$common"/worktrees/*/; do
    folder=\${folder%/}
    read -r file <"$folder/gitdir" || continue
    [ -e "$file" ] && [ "$(ls -A "\${file%/*}")" != .git ] && continue
    request worktree "$folder"
    [ "$answer" = yes ] || continue
    rm -rf "$folder"
    rmdir "$common/worktrees"
    status=0
    : >"$work/errors"
  done 2>/dev/null
  cat "$work/errors" >&2
  rm -rf "$work"
  exit "$status"
fi
shadow=$work/top/common
[ "$command" = worktree ] && mkdir -p "$common/worktrees"
mkdir -p "$common/logs" 2>/dev/null
mkdir -p "$shadow"
ln -s "$common"/* "$shadow"/
rm -f "$shadow/config"
# Paths of included files are relative to the settings.
if grep -qi '^[[:space:]]*\\[include' "$common/config"; then ln -s "$common"/../* "$work/top/" 2>/dev/null; fi
for name in packed-refs shallow; do [ -L "$shadow/$name" ] || ln -s "$common/$name" "$shadow/$name"; done
cp "$common/config" "$work/base"
cp "$work/base" "$shadow/config"

# A sparse checkout has settings of its own, which git looks for in GIT_DIR.
if [ "$command" = sparse-checkout ] && [ -f "$common/config.worktree" ] && [ ! -w "$common/config.worktree" ]; then
  asked="rev-parse --path-format=absolute --git-dir --show-toplevel"
  places=$(ask_git "$@")
  if [ "\${places%%
*}" = "$common" ]; then
    GIT_DIR=$shadow GIT_WORK_TREE=\${places#*
}
    export GIT_DIR GIT_WORK_TREE
    rm -f "$shadow/config.worktree"
    cp "$common/config.worktree" "$work/base.worktree"
    cp "$work/base.worktree" "$shadow/config.worktree"
  fi
fi

GIT_COMMON_DIR=$shadow
export GIT_COMMON_DIR
case $command in
  submodule | lfs | init) ;;
  *)
    for name in ${WRAPPED_HOOKS.join(" ")}; do
      [ -x "$hooks/$name" ] || continue
      [ -d "$work/hooks" ] || mkdir "$work/hooks"
      ln -s "$own/git" "$work/hooks/$name"
    done
    if [ -d "$work/hooks" ]; then
      PITH_GIT_HOOKS=$hooks
      PITH_GIT_CONFIG_COUNT=$GIT_CONFIG_COUNT
      index=\${GIT_CONFIG_COUNT:-0}
      GIT_CONFIG_COUNT=$((index + 1))
      export PITH_GIT_HOOKS PITH_GIT_CONFIG_COUNT GIT_CONFIG_COUNT
      export "GIT_CONFIG_KEY_$index=core.hooksPath" "GIT_CONFIG_VALUE_$index=$work/hooks"
    fi ;;
esac
"$real" "$@"
status=$?
unset GIT_COMMON_DIR

# What git created in the copy belongs to the repository.
for file in "$shadow"/*; do
  [ -L "$file" ] && continue
  case \${file##*/} in config | config.lock | config.worktree | config.worktree.lock) ;; *) mv -f "$file" "$common/" ;; esac
done
if [ "$command" = worktree ]; then
  # A new worktree names its repository: not the copy.
  for folder in "$common"/worktrees/*/; do
    folder=\${folder%/}
    read -r file <"$folder/gitdir" && [ -f "$file" ] && read -r line <"$file" || continue
    case $line in "gitdir: $shadow/"*) echo "gitdir: $common/worktrees/\${folder##*/}" >"$file" ;; esac
  done 2>/dev/null
  rmdir "$common/worktrees" 2>/dev/null
fi

# Hands over the settings if they were changed.
hand_over() {
  cmp -s "$work/base" "$shadow/config" && return
  request settings "$1"
  [ "$answer" = yes ] && return
  echo "pith: $1 was not changed: $message" >&2
  [ "$status" != 0 ] || status=1
}

hand_over "$common/config"
if [ -f "$work/base.worktree" ]; then
  mv -f "$work/base.worktree" "$work/base"
  mv -f "$shadow/config.worktree" "$shadow/config"
  hand_over "$common/config.worktree"
fi
rm -rf "$work"
exit "$status"
`;
