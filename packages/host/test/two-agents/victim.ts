/** The agent that is attacked: plants secrets in everything that belongs to it, runs a server in the background, and goes on working. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { PermissionQuestion } from "@pith/agent";
import type { Targets } from "./attempts.ts";
import type { PlantedSecret } from "./find-secrets.ts";
import { Tenant, type TenantAgent } from "./tenant.ts";
import { createSecret, createTenantFolders, describeFiles, plantFiles, type TenantFolders } from "./tenant-folders.ts";

/** Serves a secret on a port, on an abstract socket and on a file, and leaves another one in its memory. */
const JOB = `
import json, os, socket, sys, threading
def serve(server, address):
    server.bind(address); server.listen()
    def run():
        while True:
            client = server.accept()[0]
            client.sendall(SERVED.encode()); client.close()
    threading.Thread(target=run).start()
SERVED, ports, name = sys.argv[3], json.loads(sys.argv[4]), sys.argv[5]
for port in ports:
    server = socket.socket(); server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1); serve(server, ("127.0.0.1", port))
serve(socket.socket(socket.AF_UNIX), "\\0" + name)
serve(socket.socket(socket.AF_UNIX), "/tmp/server.sock")
with open("/tmp/starting", "w") as file: file.write(os.environ["HTTP_PROXY"])
os.rename("/tmp/starting", "/tmp/ready")
`;

export class Victim {
  readonly tenant: Tenant;
  readonly agent: TenantAgent;
  readonly folders: TenantFolders;
  readonly secrets: readonly PlantedSecret[];
  readonly targets: Targets;
  readonly questions: readonly PermissionQuestion[];
  readonly #server: Server;

  private constructor(
    parts: Pick<Victim, "tenant" | "agent" | "folders" | "secrets" | "targets" | "questions"> & { server: Server },
  ) {
    const { tenant, agent, folders, secrets, targets, questions, server } = parts;
    [this.tenant, this.agent, this.folders, this.secrets] = [tenant, agent, folders, secrets];
    [this.targets, this.questions, this.#server] = [targets, questions, server];
  }

  static async open(serverFolder: string): Promise<Victim> {
    const folders = createTenantFolders(serverFolder, "b");
    const own = Object.fromEntries(OWN_SECRETS.map((name) => [name, createSecret()])) as Record<OwnSecret, string>;
    const secrets = [...plantFiles(folders), ...Object.entries(own).map(([name, value]) => ({ name, value }))];
    const environment = { PATH: SEARCH_PATH, HOME: folders.userHome, LANG: "C.UTF-8", B_TOKEN: own.environment };
    const tenant = await Tenant.open({ folders, environment, modelKey: own["model key"] });
    const questions: PermissionQuestion[] = [];
    const agent = await tenant.openAgent({
      settings: { sandboxEnvironment: ["B_TOKEN"] },
      // It publishes a port for the attacker to find.
      permissions: { outside: "ask" },
      ask: async (question) => {
        questions.push(question);
        return { type: question.intent?.type === "port" || question.intent?.type === "command" ? "yes" : "no" };
      },
    });
    const socket = join(folders.workspace, "service");
    const server = await serve(own.socket, socket);
    const temporary = await agent.temporaryFolder();
    const [port, publishedPort] = [await findFreePort(), await findFreePort()];
    const abstractSocket = `two-agents-${process.pid}`;
    const args = [own["command line"], own.server, JSON.stringify([port, publishedPort]), abstractSocket];
    await agent.run(
      [
        {
          tool: "bash",
          arguments: {
            command: `echo ${own["private home"]} >~/private.txt; echo ${own["temporary folder"]} >/tmp/private.txt`,
          },
        },
        {
          tool: "bash",
          arguments: {
            command: `python3 -c '${JOB}' two-agents-job ${args.map((each) => `'${each}'`).join(" ")}`,
            background: true,
            publish_port: publishedPort,
          },
        },
        { tool: "read", arguments: { path: ".env" } },
      ],
      `Remember the word ${own.entry}.`,
    );
    const ready = join(temporary, "ready");
    await until(() => existsSync(ready));
    const long = await agent.bash(`for each in $(seq 3000); do echo "line $each of the report ${own.blob}"; done`);
    const { blob = "" } = long.details as { readonly blob?: string };
    const targets: Targets = {
      victim: folders,
      ...{ temporary, port, publishedPort, abstractSocket, socket, blob },
      proxy: readFileSync(ready, "utf8"),
      pid: findPython(own["command line"]),
      sessionId: agent.sessionId,
      placeholder: /PITH_SECRET_\w+/.exec(agent.entriesText)?.[0] ?? "",
    };
    return new Victim({ tenant, agent, folders, secrets, targets, questions, server });
  }

  /** All that must not change. */
  describe(): Readonly<Record<string, string>> {
    // The records of the sandbox change while a command of the victim itself runs.
    const isRecord = (path: string): boolean => path.startsWith(join(this.folders.home, "sandbox/sessions/"));
    return { ...describeFiles(this.folders.base, isRecord), ...describeFiles(this.targets.temporary) };
  }

  isJobAlive(): boolean {
    return existsSync(`/proc/${this.targets.pid}`);
  }

  /** Does what it does all day; returns what it saw. */
  async work(): Promise<string> {
    const results = await this.agent.run([
      { tool: "read", arguments: { path: ".env" } },
      {
        tool: "bash",
        arguments: { command: "cat .env notes.txt ~/private.txt /tmp/private.txt | wc -l; echo own-$((6 * 7)); env" },
      },
      { tool: "grep", arguments: { pattern: "launch code" } },
    ]);
    return results.map(({ text }) => text).join("\n");
  }

  async close(): Promise<void> {
    await this.agent.close();
    await this.tenant.close();
    this.#server.close();
  }
}

const OWN_SECRETS = [
  ...["environment", "model key", "socket", "server", "command line"],
  ...["private home", "temporary folder", "entry", "blob"],
] as const;

type OwnSecret = (typeof OWN_SECRETS)[number];

/** Where programs are, for the commands of both. */
export const SEARCH_PATH: string = "/usr/local/bin:/usr/bin:/bin";

export async function readPort(port: number): Promise<string> {
  return await new Promise((resolve, reject) => {
    let text = "";
    const socket = connect(port, "127.0.0.1");
    socket.on("data", (chunk) => {
      text += chunk;
    });
    socket.on("error", reject).on("close", () => resolve(text));
  });
}

async function serve(text: string, path: string): Promise<Server> {
  const server = createServer((client) => client.on("error", () => {}).end(text));
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return server;
}

async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function findPython(argument: string): number {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  const pid = pids.find((each) => {
    const [program, ...args] = readCommandLine(each);
    return program === "python3" && args.includes(argument);
  });
  if (pid === undefined) throw new Error("the job of the other agent does not run");
  return Number(pid);
}

function readCommandLine(pid: string): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  } catch {
    // It has ended.
    return [];
  }
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await sleep(20);
}
