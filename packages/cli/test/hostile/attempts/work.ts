/** Honest work that has to go on: packages from the user's own registries, a fetch of git, a server that the next command and the user reach. */

import { type Attempt, bash } from "../attempt.ts";
import { REGISTRIES } from "../registries.ts";

const inFolder = (name: string, files: Readonly<Record<string, string>>, command: string): string => {
  const written = Object.entries(files).map(
    ([path, text]) => `mkdir -p $(dirname ${path}); cat >${path} <<'END'\n${text}\nEND`,
  );
  return `echo TRIED; mkdir -p ${name} && cd ${name}\n${written.join("\n")}\n${command}`;
};

/** Each prints what stands in the package. */
const installs: Readonly<Record<string, string>> = {
  npm: inFolder(
    "npm-work",
    { "package.json": '{"name":"work","version":"1.0.0"}' },
    "npm install --no-audit --no-fund --loglevel=error tiny-package && node -p 'require(\"tiny-package\")'",
  ),
  pip: inFolder(
    "pip-work",
    {},
    "python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore --target lib tiny-wheel && PYTHONPATH=lib python3 -c 'import tiny_wheel; print(tiny_wheel.WORDS)'",
  ),
  cargo: inFolder(
    "cargo-work",
    {
      "Cargo.toml": '[package]\nname = "work"\nversion = "0.1.0"\nedition = "2021"\n[dependencies]\ntinycrate = "1"',
      "src/main.rs": 'fn main() { println!("{}", tinycrate::words()); }',
    },
    // The variables let an old cargo read such a registry.
    "RUSTC_BOOTSTRAP=1 CARGO_UNSTABLE_SPARSE_REGISTRY=true cargo build --quiet && ./target/debug/work",
  ),
  go: inFolder(
    "go-work",
    {
      "go.mod": "module work\n\ngo 1.19\n\nrequire tiny.example.org/mod v1.0.0",
      "main.go": 'package main\n\nimport "tiny.example.org/mod"\n\nfunc main() { println(mod.Words()) }',
    },
    "go build -mod=mod -o work . && ./work 2>&1",
  ),
  git: inFolder(
    "git-work",
    {},
    `git init -q . && git fetch -q http://git.${REGISTRIES.name}/tiny.git main && git show FETCH_HEAD:words.txt`,
  ),
};

/** The user is not asked: the registries are those of the user's own configuration, and a rule names the host of git. */
export const workAttempts: readonly Attempt[] = [
  ...Object.entries(installs).map(
    ([tool, command]): Attempt => ({
      name: `work: ${tool} gets a package`,
      channel: "bash",
      calls: [bash(command, { timeout: 180 })],
      says: `tiny from ${tool}`,
    }),
  ),
  {
    name: "work: a server is reached from the next command",
    channel: "background",
    calls: [
      bash("echo 'tiny from a server' >served.txt; python3 -m http.server 8123 --bind 127.0.0.1", { background: true }),
      bash(
        "echo TRIED; for i in $(seq 50); do curl -sS -m 5 http://127.0.0.1:8123/served.txt && break; sleep 0.2; done",
      ),
    ],
    says: "tiny from a server",
  },
];

/** After its question. */
export const publishedServer: Attempt = {
  name: "permitted: a server that the user's machine reaches",
  channel: "background",
  calls: [
    bash("echo 'tiny from a server' >served.txt; python3 -m http.server 8124 --bind 127.0.0.1", {
      background: true,
      publish_port: 8124,
    }),
    bash("echo TRIED; for i in $(seq 50); do curl -sS -m 5 http://127.0.0.1:8124/served.txt && break; sleep 0.2; done"),
  ],
  reachesPort: 8124,
};
