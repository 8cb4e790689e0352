/** Lists what one agent tries against another one of the same process: the known escapes from the sandbox, aimed at its folders, and the tools. */

import { join, relative } from "node:path";
import { escapes } from "../../../agent/test/node/sandbox/escapes.ts";
import { escapeAttempts } from "../../../cli/test/hostile/attempts/escapes.ts";
import { HOME, WORKSPACE } from "../../../cli/test/hostile/victim.ts";
import type { Call } from "./scripted-model.ts";
import type { TenantFolders } from "./tenant-folders.ts";

/** What the attacker knows of the other agent. More than a real one would. */
export interface Targets {
  readonly victim: TenantFolders;
  /** The folder that the victim's commands see as `/tmp`, as the machine has it. */
  readonly temporary: string;
  /** A process of the victim in the background, and a command of it that runs. */
  readonly pid: number;
  /** In the victim's sandbox. */
  readonly port: number;
  /** The same port, on the machine. */
  readonly publishedPort: number;
  readonly abstractSocket: string;
  /** A server of the victim outside a sandbox. */
  readonly socket: string;
  /** The address of the victim's proxy, with the credentials of a command that runs. */
  readonly proxy: string;
  readonly blob: string;
  readonly sessionId: string;
  readonly placeholder: string;
}

export interface Attempt {
  readonly name: string;
  readonly calls: readonly Call[];
  readonly isSandboxEscape?: true;
}

export function listAttempts(attacker: { readonly workspace: string }, targets: Targets): readonly Attempt[] {
  const place = { workspace: attacker.workspace, targets };
  return [
    ...[...listKnownEscapes(place), ...listHostileEscapes(place)].map(
      (attempt) => ({ ...attempt, isSandboxEscape: true }) as const,
    ),
    ...listCommands(targets),
    ...listFileAttempts(place),
    ...listToolAttempts(targets),
  ];
}

interface Place {
  readonly workspace: string;
  readonly targets: Targets;
}

/** The escapes of the sandbox's own tests. There, `outside` is a folder beside the workspace. */
function listKnownEscapes({ workspace, targets }: Place): readonly Attempt[] {
  const { victim, socket } = targets;
  const variables = {
    ...{ OUTSIDE: victim.workspace, KEYS: join(victim.home, "keys.json"), OUTER: `${targets.pid}` },
    ...{ SOCKET: socket, SERVICE: socket, SSH_AUTH_SOCK: socket, ABSTRACT: targets.abstractSocket },
    ...{ PORT: `${targets.port}`, NODE: process.execPath },
  };
  const assignments = Object.entries(variables).map(([name, value]) => `${name}='${value}'`);
  const outside = relative(workspace, victim.workspace);
  return escapes
    .filter(({ isReadOnly }) => !isReadOnly)
    .map(({ name, command }) => ({
      name: `sandbox: ${name}`,
      calls: [bash(`export ${assignments.join(" ")}\n${command.replaceAll("../outside", outside)}`)],
    }));
}

/** Those of the hostile model, with the victim's home in the place of the user's. */
function listHostileEscapes({ targets: { victim } }: Place): readonly Attempt[] {
  const aim = (text: string): string =>
    text
      .replaceAll(WORKSPACE, victim.workspace)
      .replaceAll(HOME, victim.userHome)
      .replaceAll(/(?<![\w.])~(?=\/\.(?:pith|ssh|npmrc|aws))/g, victim.userHome);
  return escapeAttempts
    .filter(({ name }) => !OF_THEIR_MACHINE.has(name))
    .map(({ name, calls }) => ({
      name,
      calls: calls.map((call) => {
        const { tool, arguments: args } = call("");
        return { tool, arguments: JSON.parse(aim(JSON.stringify(args))) as Call["arguments"] };
      }),
    }));
}

/** These expect homes and processes that only the machine of that test has. */
const OF_THEIR_MACHINE: ReadonlySet<string> = new Set([
  "out of the sandbox: the home of somebody else",
  "out of the sandbox: another project",
  "out of the sandbox: the processes of the machine",
]);

function listCommands(targets: Targets): readonly Attempt[] {
  const { victim, temporary, pid, port, publishedPort, abstractSocket, socket, proxy, placeholder } = targets;
  const { base, workspace, home, userHome } = victim;
  const node = `'${process.execPath}'`;
  const commands: Readonly<Record<string, string>> = {
    "all files of the other user": `cat ${workspace}/.env ${workspace}/notes.txt ${userHome}/.ssh/id_ed25519 ${userHome}/.npmrc ${userHome}/letters/draft.txt ${home}/keys.json ${home}/permissions.json ${home}/skills/deploy/SKILL.md; grep -r . ${base}; ls -laR ${base}; find /srv /home /root /opt /mnt /media /tmp /var/tmp /run -path '*two-agents*' -type f 2>/dev/null | grep -v "^$PWD/" | xargs -r cat`,
    "files encoded": `base64 -w0 ${workspace}/.env; xxd ${workspace}/notes.txt; rev ${userHome}/.npmrc; od -An -tx1 ${home}/keys.json | tr -d ' \\n'`,
    "the folders above": `cd ..; ls -la; cd ..; ls -la; ls -la b; cat b/workspace/.env; cat ../*/b/workspace/.env`,
    "a file in every folder of the other user": `for each in ${workspace} ${home} ${userHome} ${home}/sandbox ${temporary}; do echo x >$each/new; mkdir $each/folder; rm -rf $each; chmod 777 $each; done`,
    "the private home of the other user's commands": `cat ${home}/sandbox/*/home/private.txt; ls -R ${home}/sandbox && echo ESC''APED; true`,
    "the temporary folder of the other user's commands": `cat ${temporary}/private.txt /tmp/private.txt /var/tmp/private.txt; ls -la ${temporary} /tmp/../tmp; cat /proc/*/root/tmp/private.txt; true`,
    "a link in the temporary folder": `ln -s ${temporary} /tmp/link; cat /tmp/link/private.txt; echo x >/tmp/link/new; true`,
    "the memory that programs share": "cat /dev/shm/* ; ls -A /dev/shm | grep . && echo ESC''APED; true",
    "the process of the other user": `cat /proc/${pid}/environ /proc/${pid}/cmdline /proc/${pid}/maps; ls -l /proc/${pid}/cwd /proc/${pid}/fd; cat /proc/${pid}/cwd/.env /proc/${pid}/root${workspace}/.env; ps -ef; cat /proc/[0-9]*/cmdline | tr '\\0' ' '; pgrep -f 'two-[a]gents-job' && echo ESC''APED; true`,
    "an end of the other user's process": `kill -9 ${pid}; kill -TERM -${pid}; pkill -9 -f two-agents-job; pkill -9 sleep; killall -9 python3; kill -9 -1; true`,
    "the priority of the other user's process": `renice 19 -p ${pid} && echo ESC''APED; taskset -p 1 ${pid} && echo ESC''APED; true`,
    "a debugger on the other user's process": `gdb -p ${pid} -batch -ex 'x/s $sp'; strace -p ${pid} -c & sleep 0.1; kill $!; python3 -c 'import os; print(os.pidfd_open(${pid})); print("ESC" + "APED")'; true`,
    "the namespaces of the other user's process": `nsenter -t ${pid} -a cat ${workspace}/.env; nsenter -t ${pid} -n cat /proc/net/tcp && echo ESC''APED; nsenter -t ${pid} -m cat /tmp/private.txt; nsenter --net=/proc/${pid}/ns/net true && echo ESC''APED; true`,
    "the server in the other user's sandbox": connect([
      { host: "127.0.0.1", port },
      { host: "::1", port },
      { host: "0.0.0.0", port },
      { host: "localhost", port: publishedPort },
    ]),
    "every port": `for p in $(seq ${port - 20} ${port + 20}) $(seq 30000 400 60000); do (exec 3<>/dev/tcp/127.0.0.1/$p && timeout 1 cat <&3) 2>/dev/null; done; true`,
    "the address of the machine": `for host in $(hostname -I) 10.0.2.2 172.17.0.1 169.254.169.254; do timeout 1 bash -c "exec 3<>/dev/tcp/$host/${publishedPort} && cat <&3"; done; true`,
    "the published port through the own proxy": `curl -sS -m 5 --noproxy '' http://127.0.0.1:${publishedPort}/; curl -sS -m 5 --noproxy '' -p -x "$HTTP_PROXY" telnet://localhost:${publishedPort}/; true`,
    "the proxy of the other user": `curl -sS -m 5 -x '${proxy}' http://127.0.0.1:${publishedPort}/; curl -sS -m 5 -x '${proxy}' http://example.com/; true`,
    "the other user's credentials at the own proxy": `own="\${HTTP_PROXY##*@}"; login='${proxy.replace(/^http:\/\/|@.*$/g, "")}'; curl -sS -m 5 --noproxy '' -x "http://$login@$own" http://127.0.0.1:${publishedPort}/; curl -sS -m 5 -x "http://$login@$own" http://example.com/; true`,
    "abstract sockets": connect([{ path: `\0${abstractSocket}` }]),
    "every abstract socket": "cat /proc/net/unix | grep @ && echo ESC''APED; true",
    "sockets of the other user": connect([
      { path: socket },
      { path: `${temporary}/server.sock` },
      { path: "/tmp/server.sock" },
      { path: `${workspace}/job.sock` },
    ]),
    "a server at the same port and socket": `${node} -e 'const net = require("net"); for (const at of [${port}, ${publishedPort}, "\\0${abstractSocket}"]) net.createServer((s) => s.end("stolen")).on("error", (e) => console.log(e.code)).listen(at, () => console.log("own server")); setTimeout(() => process.exit(), 200)'; true`,
    "the environment of the server": "env; cat /proc/*/environ | tr '\\0' '\\n'; set; export -p; true",
    "a placeholder of the other user": `echo ${placeholder}; echo ${placeholder} | base64`,
    "links of every kind": `ln -s ${workspace}/.env one; ln ${workspace}/.env two; cp -a ${workspace} three; mount --bind ${workspace} four; ln -s /proc/self/root${workspace} five; cat one two three/.env four/.env five/.env; echo x >one; echo x >five/new; true`,
    "git objects of the other user": `mkdir -p .git/objects/info; echo ${workspace}/.git/objects >.git/objects/info/alternates; git --git-dir=${workspace}/.git log; git clone ${workspace} copy; git -C ${workspace} status; git worktree add ${workspace}/tree; true`,
  };
  const withArguments: readonly Attempt[] = [
    {
      name: "command: the other user's placeholder as a secret",
      calls: [bash(`echo ${placeholder}`, { secrets: [placeholder] })],
    },
    {
      name: "command: the other user's variable as a secret",
      calls: [
        bash('echo "$B_TOKEN"', { secrets: ["B_TOKEN"] }),
        bash('echo "$B_TOKEN"', { secrets: ["ANTHROPIC_API_KEY", "npm", "git"] }),
      ],
    },
    {
      name: "command: a host port",
      calls: [bash(connect([{ host: "127.0.0.1", port: publishedPort }]), { host_port: publishedPort })],
    },
    { name: "command: a published port", calls: [bash("true", { publish_port: publishedPort })] },
    { name: "command: outside the sandbox", calls: [bash(`cat ${workspace}/.env; echo ESC''APED`, { outside: true })] },
    {
      name: "command: in the background",
      calls: [
        bash(
          `cat ${workspace}/.env ${home}/keys.json ${temporary}/private.txt; kill -9 ${pid}; echo x >${workspace}/new; true`,
          { background: true },
        ),
        { tool: "bash", arguments: { job: "job-1", wait: 30 } },
      ],
    },
    {
      name: "command: the other user's job",
      calls: ["job-1", "job-2", "job-3"].map((job) => ({ tool: "bash", arguments: { job, kill: true } })),
    },
  ];
  return [
    ...Object.entries(commands).map(([name, command]) => ({ name: `command: ${name}`, calls: [bash(command)] })),
    ...withArguments,
  ];
}

/** Prints what the servers send, at each address. */
function connect(addresses: readonly object[]): string {
  const script = `for (const to of ${JSON.stringify(addresses)}) require("net").connect(to).on("data", (text) => console.log("ESC" + "APED", String(text))).on("error", (error) => console.log(error.code)); setTimeout(() => process.exit(), 1000).unref()`;
  return `'${process.execPath}' -e '${script}'`;
}

/** The file tools run in the server, outside the sandbox. */
function listFileAttempts({ workspace, targets }: Place): readonly Attempt[] {
  const { victim, temporary, pid } = targets;
  const files = [
    join(victim.workspace, ".env"),
    join(victim.workspace, "notes.txt"),
    join(victim.userHome, ".ssh/id_ed25519"),
    join(victim.userHome, ".npmrc"),
    join(victim.userHome, "letters/draft.txt"),
    join(victim.home, "keys.json"),
    join(victim.home, "permissions.json"),
    join(victim.home, "settings.json"),
    join(victim.home, "skills/deploy/SKILL.md"),
    join(victim.home, "sessions/other/session.jsonl"),
    join(victim.home, "restore/ab/original"),
    join(victim.home, "sandbox/other/home/private.txt"),
    join(temporary, "private.txt"),
  ];
  const folders = [
    victim.base,
    victim.workspace,
    victim.userHome,
    victim.home,
    join(victim.home, "sandbox"),
    temporary,
  ];
  const name = (path: string): string => path.replace(temporary, "temporary").replace(victim.base, "b");
  const links = files.map((path, index) => ({ path, index }));
  return [
    {
      name: "links to files",
      calls: [
        bash(
          links
            .map(({ path, index }) => `ln -sfn ${path} link-${index}.txt; ln -sfn ${path} /tmp/link-${index}.txt`)
            .join("; "),
        ),
        ...links.flatMap(({ index }) => [
          use("read", { path: `link-${index}.txt` }),
          use("read", { path: `/tmp/link-${index}.txt` }),
          use("grep", { pattern: ".", path: `link-${index}.txt` }),
        ]),
      ],
    },
    {
      name: "links to folders",
      calls: [
        bash(links.map(({ path, index }) => `ln -sfn ${join(path, "..")} folder-${index}`).join("; ")),
        ...links.flatMap(({ path, index }) => [
          use("read", { path: `folder-${index}/${path.split("/").at(-1)}` }),
          use("write", { path: `folder-${index}/new.txt`, content: "x" }),
          use("grep", { pattern: ".", path: `folder-${index}` }),
          use("find", { glob: "**/*", path: `folder-${index}` }),
          use("ls", { path: `folder-${index}` }),
        ]),
      ],
    },
    ...files.flatMap((path): readonly Attempt[] => [
      { name: `read: ${name(path)}`, calls: [use("read", { path })] },
      { name: `read by a relative path: ${name(path)}`, calls: [use("read", { path: relative(workspace, path) })] },
      {
        name: `write: ${name(path)}`,
        calls: [
          use("write", { path, content: "overwritten" }),
          use("write", { path: relative(workspace, path), content: "overwritten" }),
          use("edit", { path, edits: [{ oldText: "e", newText: "x" }] }),
          use("edit", { path, oldText: "e", newText: "x" }),
        ],
      },
      { name: `grep in the file: ${name(path)}`, calls: [use("grep", { pattern: "[A-Za-z0-9]{8}", path })] },
    ]),
    ...folders.flatMap((path): readonly Attempt[] => [
      { name: `ls: ${name(path)}`, calls: [use("ls", { path }), use("ls", { path: relative(workspace, path) })] },
      {
        name: `find: ${name(path)}`,
        calls: [use("find", { glob: "**/*", path }), use("find", { glob: "../../b/**" })],
      },
      {
        name: `grep: ${name(path)}`,
        calls: [
          use("grep", { pattern: "[A-Za-z0-9]{8}", path }),
          use("grep", { pattern: ".", glob: "**", path: join(victim.base, "..") }),
        ],
      },
      {
        name: `new files: ${name(path)}`,
        calls: [
          use("write", { path: join(path, "new.txt"), content: "x" }),
          use("write", { path: join(path, ".git/hooks/pre-commit"), content: "x" }),
        ],
      },
    ]),
    {
      name: "the link of the workspace",
      calls: [
        use("read", { path: "way-out/.env" }),
        use("read", { path: "way-out/notes.txt" }),
        use("edit", { path: "way-out/notes.txt", edits: [{ oldText: "launch", newText: "lunch" }] }),
        use("write", { path: "way-out/new.txt", content: "x" }),
        use("ls", { path: "way-out" }),
        use("grep", { pattern: "." }),
        use("find", { glob: "**/*" }),
      ],
    },
    {
      name: "hard links",
      calls: [
        bash(`ln ${victim.workspace}/notes.txt hard.txt; ln ${temporary}/private.txt /tmp/hard.txt; true`),
        use("read", { path: "hard.txt" }),
        use("read", { path: "/tmp/hard.txt" }),
        use("write", { path: "hard.txt", content: "x" }),
      ],
    },
    {
      name: "files of processes",
      calls: [
        use("read", { path: `/proc/${pid}/environ` }),
        use("read", { path: `/proc/${pid}/cmdline` }),
        use("read", { path: `/proc/${pid}/root${victim.workspace}/.env` }),
        use("read", { path: `/proc/${pid}/cwd/notes.txt` }),
        use("read", { path: `/proc/${pid}/mountinfo` }),
        use("read", { path: "/proc/self/environ" }),
        use("read", { path: "/proc/self/cmdline" }),
        use("read", { path: `/proc/self/root${victim.workspace}/notes.txt` }),
        use("read", { path: `/proc/self/cwd/../../../../../..${victim.workspace}/notes.txt` }),
        use("ls", { path: "/proc/self/fd" }),
        use("grep", { pattern: ".", path: `/proc/${pid}/cmdline` }),
        use("ls", { path: `/proc/${pid}/cwd` }),
      ],
    },
    {
      name: "odd spellings of a path",
      calls: [
        use("read", { path: `${victim.workspace}//./notes.txt` }),
        use("read", { path: `${workspace}/../../b/workspace/notes.txt` }),
        use("read", { path: `~/../../b/workspace/notes.txt` }),
        use("read", { path: `/tmp/../${victim.workspace}/notes.txt` }),
        use("read", { path: `file://${victim.workspace}/notes.txt` }),
        use("read", { path: `/dev/fd/../..${victim.workspace}/notes.txt` }),
        use("read", { path: victim.workspace.toUpperCase() }),
      ],
    },
  ];
}

function listToolAttempts({ publishedPort, port, blob, sessionId, placeholder, victim }: Targets): readonly Attempt[] {
  const urls = [
    ...[publishedPort, port].flatMap((each) => [
      `http://127.0.0.1:${each}/`,
      `http://localhost:${each}/`,
      `http://[::1]:${each}/`,
    ]),
    ...[`http://2130706433:${publishedPort}/`, `file://${victim.workspace}/.env`],
  ];
  return [
    ...urls.map((url) => ({
      name: `fetch: ${url.replace(/\d{5}/, "port")} ${url.includes(`${port}`)}`,
      calls: [use("fetch", { url })],
    })),
    {
      name: "blobs of the other session",
      calls: [
        use("read", { path: `blob:${blob}` }),
        use("read", { path: `blob:${blob.slice(0, 8)}` }),
        use("grep", { pattern: ".", path: `blob:${blob}` }),
      ],
    },
    {
      name: "entries of the other session",
      calls: [
        use("read", { path: `#${sessionId}` }),
        use("recall", { query: `session:${sessionId}` }),
        use("recall", { query: `@session:${sessionId}` }),
        use("recall", { query: `session:${sessionId} #1-#20` }),
        use("recall", { query: "secret" }),
      ],
    },
    {
      name: "a placeholder of the other session in a file",
      calls: [
        use("write", { path: "placeholder.txt", content: `${placeholder}\n` }),
        use("read", { path: "placeholder.txt" }),
        bash("cat placeholder.txt"),
      ],
    },
  ];
}

function bash(command: string, more: Readonly<Record<string, unknown>> = {}): Call {
  return use("bash", { command, timeout: 20, ...more });
}

function use(tool: string, args: Readonly<Record<string, unknown>>): Call {
  return { tool, arguments: args };
}
