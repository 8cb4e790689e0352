/** Places that mean something to others than the command at hand: what builds share, what other programs act upon, where the machine's services listen. */

/** Within the home: what package managers keep for the next build. Nothing of it is on anybody's path. */
export const CACHES: readonly string[] = [
  ".bun/install/cache",
  ".cache",
  ".cargo/git",
  ".cargo/registry",
  ".gradle/caches",
  ".ivy2/cache",
  ".local/share/pnpm/store",
  ".m2/repository",
  ".npm",
  ".nuget/packages",
  ".pnpm-store",
  ".yarn/berry/cache",
  "go/pkg",
];

/** Within the workspace: what editors and agents run or obey as soon as they see it. */
export const CONFIGURATION: readonly string[] = [".claude", ".codex", ".idea", ".pith", ".vscode"];

/** Within the home, should commands be able to write there: what the next shell or program of the user runs or believes. */
export const PERSONAL_FOLDERS: readonly string[] = [".config", ".gnupg", ".local/bin", ".local/share/systemd", ".ssh"];

/** The same, but where nothing is nothing may stand either: to a shell that starts, a folder in place of one would be a fault. */
export const PERSONAL_FILES: readonly string[] = [
  ".bash_login",
  ".bash_profile",
  ".bashrc",
  ".gitconfig",
  ".npmrc",
  ".profile",
  ".zprofile",
  ".zshenv",
  ".zshrc",
];

export const TEMPORARY: readonly string[] = ["/tmp", "/var/tmp"];

/** Sockets of services that do things for whoever asks: the container engine, the buses, agents with keys. */
export const SOCKET_FOLDERS: readonly string[] = ["/run", "/var/run"];

/** The few things in there that every program needs: how names are found, and on some systems the programs themselves. */
export const NEEDED_AMONG_SOCKETS: readonly string[] = [
  "/etc/resolv.conf",
  "/run/current-system",
  "/run/opengl-driver",
];

/** Variables that name such a socket, wherever it is. */
export const SOCKET_VARIABLES: readonly string[] = [
  "DBUS_SESSION_BUS_ADDRESS",
  "DOCKER_HOST",
  "SSH_AUTH_SOCK",
  "TMUX",
  "VSCODE_IPC_HOOK_CLI",
];
