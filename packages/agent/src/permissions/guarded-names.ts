/** Names of what other programs run or believe as soon as it is there: the one list, for the tools that write files and for the sandbox of commands. */

/** Folders of editors and agents. In the folder one works in they are kept also where they are absent. */
export const GUARDED_FOLDERS: readonly string[] = [
  ...[".agents", ".claude", ".codex", ".cursor", ".gemini", ".idea", ".pith", ".vscode", ".zed"],
];

/** Files of the same kind, which are taken up wherever somebody works. */
export const GUARDED_FILES: readonly string[] = [".envrc", ".mcp.json"];

/** What shells and git begin with: of consequence in a home, and where a home is made from. */
export const STARTUP_NAMES: readonly string[] = [
  ...[".gitconfig", ".profile", ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".inputrc"],
  ...[".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".kshrc", ".cshrc", ".tcshrc", ".config/fish"],
];

/** Where git's hooks lie by custom. The sandbox asks the settings of git instead. */
const HOOK_FOLDERS: readonly string[] = [".githooks", ".husky"];

/** All of them, wherever they lie. A repository has to be written by commands, so there the sandbox is more exact. */
export const GUARDED_NAMES: readonly string[] = [
  ".git",
  ...HOOK_FOLDERS,
  ...GUARDED_FOLDERS,
  ...GUARDED_FILES,
  ...STARTUP_NAMES,
];
