/** Places that mean something to others than the command at hand: what builds share, what other programs act upon, where the machine's services listen. */

/** Within the home: what package managers keep for the next build, folder by folder. Beside them lie programs, and scripts that shells begin with. */
export const CACHES: readonly string[] = [
  ".bun/install/cache",
  ...["ccache", "composer", "deno", "go-build", "golangci-lint", "node-gyp", "pip"].map((name) => `.cache/${name}`),
  ...["pnpm", "sccache", "typescript", "uv", "yarn", "zig"].map((name) => `.cache/${name}`),
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
