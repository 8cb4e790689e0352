/** Lists paths where users and systems keep secrets. A sandbox never shows them, whatever the settings are. */

import { accessSync, constants, readFileSync } from "node:fs";
import { join } from "node:path";
import { isWithin } from "../../text.ts";
import { readFolderNames, resolveExistingPaths } from "./options.ts";

/** Relative to the home: keys, logins, browser profiles, password stores, histories. */
const SECRET_HOME_PATHS: readonly string[] = [
  ...[
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".kube",
    ".docker",
    ".oci",
    ".aliyun",
    ".bluemix",
    ".minikube",
    ".config/gcloud",
  ],
  ...[
    ".config/gh",
    ".config/glab-cli",
    ".config/hub",
    ".config/op",
    ".config/doctl",
    ".config/fly",
    ".fly",
    ".config/heroku",
  ],
  ...[
    ".config/git/credentials",
    ".git-credentials",
    ".git-credential-cache",
    ".cache/git",
    ".netrc",
    "_netrc",
    ".authinfo",
  ],
  ...[
    ".authinfo.gpg",
    ".npmrc",
    ".yarnrc",
    ".yarnrc.yml",
    ".pypirc",
    ".pip",
    ".config/pip",
    ".condarc",
    ".bunfig.toml",
  ],
  ...[".cargo/credentials", ".cargo/credentials.toml", ".cargo/config", ".cargo/config.toml", ".gem/credentials"],
  ...[
    ".bundle/config",
    ".config/composer/auth.json",
    ".composer/auth.json",
    ".config/pypoetry",
    ".config/uv",
    ".config/go",
  ],
  ...[
    ".local/share/uv/credentials",
    ".m2/settings.xml",
    ".m2/settings-security.xml",
    ".gradle/gradle.properties",
    ".ivy2/.credentials",
  ],
  ...[
    ".sbt/.credentials",
    ".nuget/NuGet",
    ".config/NuGet",
    ".pub-cache/credentials.json",
    ".config/dart",
    ".terraform.d",
    ".terraformrc",
  ],
  ...[
    ".pulumi/credentials.json",
    ".vault-token",
    ".pgpass",
    ".my.cnf",
    ".mylogin.cnf",
    ".mongorc.js",
    ".dbshell",
    ".s3cfg",
  ],
  ...[
    ".boto",
    ".gsutil",
    ".config/rclone",
    ".config/sops",
    ".config/age",
    ".config/containers/auth.json",
    ".config/helm",
  ],
  ...[
    ".config/hcloud",
    ".config/scw",
    ".config/netlify",
    ".config/vercel",
    ".local/share/com.vercel.cli",
    ".config/.wrangler",
  ],
  ...[
    ".wrangler",
    ".config/stripe",
    ".config/firebase",
    ".config/configstore",
    ".config/ngrok",
    ".ngrok2",
    ".config/tailscale",
  ],
  ...[
    ".huggingface",
    ".cache/huggingface/token",
    ".cache/huggingface/stored_tokens",
    ".kaggle",
    ".config/kaggle",
    ".jupyter",
  ],
  ...[
    ".password-store",
    ".local/share/keyrings",
    ".local/share/kwalletd",
    ".local/share/pass",
    ".electrum",
    ".bitcoin",
    ".ethereum",
  ],
  ...[
    ".config/Bitwarden",
    ".config/Bitwarden CLI",
    ".config/1Password",
    ".config/keepassxc",
    ".config/Signal",
    ".config/Slack",
  ],
  ...[
    ".config/discord",
    ".config/Code",
    ".config/Cursor",
    ".config/VSCodium",
    ".config/github-copilot",
    ".config/JetBrains",
  ],
  ...[
    ".claude",
    ".claude.json",
    ".codex",
    ".gemini",
    ".cursor",
    ".pi",
    ".pith",
    ".config/opencode",
    ".local/share/opencode",
  ],
  ...[
    ".mozilla",
    ".thunderbird",
    ".config/google-chrome",
    ".config/chromium",
    ".config/BraveSoftware",
    ".config/microsoft-edge",
  ],
  ...[
    ".config/vivaldi",
    ".config/opera",
    ".var/app",
    "snap",
    ".cache/mozilla",
    ".cache/google-chrome",
    ".cache/chromium",
  ],
  ...[
    ".bash_history",
    ".zsh_history",
    ".local/share/fish/fish_history",
    ".python_history",
    ".node_repl_history",
    ".psql_history",
  ],
  ...[
    ".mysql_history",
    ".sqlite_history",
    ".lesshst",
    ".viminfo",
    ".wget-hsts",
    ".Xauthority",
    ".ICEauthority",
    ".env",
  ],
  ...[
    "Library/Keychains",
    "Library/Cookies",
    "Library/Safari",
    "Library/Application Support",
    "Library/Messages",
    "Library/Mail",
  ],
];

export function secretPathsIn(home: string): readonly string[] {
  return SECRET_HOME_PATHS.map((name) => join(home, name));
}

const HOME_FOLDERS: readonly string[] = ["/home", "/root", "/Users"];
/** Homes of system users contain programs and data that commands need. */
const FIRST_USER_ID = 1_000;
const SYSTEM_FOLDERS =
  /^\/(?:$|(?:bin|boot|dev|etc|lib|lib64|nix|nonexistent|proc|run|sbin|sys|tmp|usr|var)(?:\/(?!home\/)|$))/;

/** Real paths of all homes of this machine, or of their parent folders; in WSL also those of Windows. */
export function findHomes(): readonly string[] {
  const driveNames = readFolderNames("/mnt").filter((name) => /^[a-z]$/.test(name));
  const passwdHomes = homesInPasswd().filter((path) => !SYSTEM_FOLDERS.test(path));
  const found = [
    ...new Set(
      resolveExistingPaths([...HOME_FOLDERS, ...driveNames.map((name) => `/mnt/${name}/Users`), ...passwdHomes]),
    ),
  ];
  return found.filter((path) => !found.some((other) => other !== path && isWithin(other, path)));
}

function homesInPasswd(): readonly string[] {
  try {
    const fields = readFileSync("/etc/passwd", "utf8")
      .split("\n")
      .map((line) => line.split(":"));
    return fields.flatMap(([, , id, , , home = ""]) => (Number(id) >= FIRST_USER_ID ? [home] : []));
  } catch {
    // Without the file, the usual folders are used.
    return [];
  }
}

const SYSTEM_SECRET_FILES: readonly string[] = [
  ...["shadow", "shadow-", "gshadow", "gshadow-", "sudoers", "sudoers.d", "security/opasswd", "krb5.keytab"],
  ...["ssl/private", "pki/tls/private", "letsencrypt", "wireguard", "openvpn", "ipsec.secrets", "ppp/chap-secrets"],
  ...["ppp/pap-secrets", "NetworkManager/system-connections", "netplan", "kubernetes", "rancher", "docker/key.json"],
].map((name) => `/etc/${name}`);

const SYSTEM_DATA_FOLDERS: readonly string[] = [
  ...["/var/lib/kubelet", "/var/lib/rancher", "/var/lib/docker", "/var/lib/containerd", "/var/lib/containers"],
  ...["/var/lib/cloud", "/var/lib/sss/secrets", "/var/spool/cron", "/var/spool/mail", "/var/mail", "/var/backups"],
];

/** Only existing paths that this user can read: others need not be hidden. */
export function findSystemSecrets(): readonly string[] {
  const hostKeys = readFolderNames("/etc/ssh").filter((name) => /^ssh_host_.*_key$/.test(name));
  const paths = [...SYSTEM_SECRET_FILES, ...hostKeys.map((name) => `/etc/ssh/${name}`), ...SYSTEM_DATA_FOLDERS];
  return resolveExistingPaths(paths.filter(isReadable));
}

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    // Most of them do not exist.
    return false;
  }
}
