/** `node scripts/try-sandbox-runtime.ts`: installs the sandbox runtime and runs real commands in it on this machine. Fails if the sandbox does not hold one of them. */

import { execSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { formatInstallCommand, RUNTIME_VERSION, runtimeShell, SandboxNetwork } from "@pith/agent/node";

const base = realpathSync(mkdtempSync(join(tmpdir(), "pith-try-runtime-")));
const pathOf = (name: string): string => join(base, name);
for (const name of ["w", "home", "own", "tmp", "outside", "runtime"]) mkdirSync(pathOf(name));
writeFileSync(pathOf("home/secret"), "hidden");

execSync(`${formatInstallCommand(pathOf("runtime"))} --no-audit --no-fund --silent`, {
  stdio: ["ignore", "ignore", "inherit"],
});
const requestedHosts: string[] = [];
const network = await SandboxNetwork.open({
  program: null,
  environment: {},
  permitHost: async ({ host }) => {
    requestedHosts.push(host);
    return { type: "refused", why: `${host} is not allowed` };
  },
});
const shell = runtimeShell({
  ...{
    root: pathOf("w"),
    home: pathOf("home"),
    privateHome: pathOf("own"),
    temporary: pathOf("tmp"),
    network,
    mayWrite: () => true,
  },
  ...{ environment: { PATH: process.env.PATH }, runtime: { folder: pathOf("runtime"), version: RUNTIME_VERSION } },
});

let failures = 0;
const report = (name: string, isExpected: boolean, output: string): void => {
  console.log(`${isExpected ? "ok    " : "FAILED"} ${name}${isExpected ? "" : `: ${output.trim()}`}`);
  if (!isExpected) failures += 1;
};

async function run(command: string, timeoutMs = 60_000): Promise<string> {
  let text = "";
  const output = (chunk: Uint8Array): void => {
    text += Buffer.from(chunk).toString();
  };
  const end = await shell.run(command, { signal: new AbortController().signal, timeoutMs, onOutput: output });
  return `${text}${end.type === "ended" ? `exit ${end.exitCode}` : `${end.type}: ${end.message}`}`;
}

try {
  const ownFolders = await run('echo hello >file && cat file && touch "$HOME/x" "$TMPDIR/y" && pwd');
  report("a command writes to its folders", ownFolders === `hello\n${pathOf("w")}\nexit 0`, ownFolders);
  const written = await run(`touch ${pathOf("outside/file")} && echo wrote`);
  report(
    "a command cannot write elsewhere",
    !written.includes("wrote") && !existsSync(pathOf("outside/file")),
    written,
  );
  const read = await run(`cat ${pathOf("home/secret")}`);
  report("a command cannot read the home folder", !read.includes("hidden"), read);
  const guarded = await run("mkdir -p .vscode && echo x >.vscode/tasks.json && echo wrote");
  report("guarded files cannot be written", !guarded.includes("wrote"), guarded);
  const refused = await run("curl -sS -m 20 http://example.com/");
  report(
    "a host needs permission",
    refused.includes("example.com is not allowed") && requestedHosts[0] === "example.com",
    refused,
  );
  const direct = await run("curl -sS -m 10 --noproxy '*' http://1.1.1.1/ && echo reached");
  report("no host is reached without the proxy", !direct.includes("reached"), direct);
  const stopped = await run("sleep 100", 1_000);
  report("a command is ended after its timeout", stopped.includes("timed out"), stopped);
} finally {
  await shell.close();
  await network.close();
  rmSync(base, { recursive: true, force: true });
}
console.log(failures === 0 ? "all checks passed" : `${failures} failed`);
process.exitCode = failures === 0 ? 0 : 1;
