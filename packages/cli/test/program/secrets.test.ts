/** Secrets and the program as a process: none of 200 is kept, shown or sent, and a user's file has its true bytes all the same. */

import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Session } from "@pith/context";
import { createSession, nodeRuntime } from "@pith/context/node";
import type { Script, ScriptRequest, Step } from "@pith/testkit";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createSampleSecrets, type SampleSecret } from "../../../context/test/support/sample-secrets.ts";
import { createSeededRandom } from "../../../context/test/support/seeded-random.ts";
import { type ProgramResult, TestProgram } from "../support/test-program.ts";

let program: TestProgram;
beforeEach(() => {
  program = new TestProgram();
});
afterEach(() => program.remove());

const all = ["--permission-mode", "all", "--sandbox", "off", "--allow", "fetch(127.0.0.1)"];

test("SEC31 keys in use of any shape are not sent, shown, exported or logged", async () => {
  const keys = ["correct-horse-lantern", "lamp-of-the-north", "kettle-by-the-sea", "river-under-ice"] as const;
  const [variable, saved, header, password] = keys;
  writeFileSync(join(program.home, "keys.json"), JSON.stringify({ openai: saved }), { mode: 0o600 });
  writeFileSync(
    join(program.home, "settings.json"),
    JSON.stringify({ mcpServers: { hub: { url: "https://hub.example/mcp", headers: { "X-Hub": header } } } }),
  );
  writeFileSync(join(program.folder, "found.txt"), `${keys.join("\n")}\n`);
  const { url } = await program.serve([
    { parts: [{ type: "text", text: `They are ${keys.join(", ")}.` }, call("read", { path: "found.txt" })] },
    { parts: [call("bash", { command: `cat found.txt; echo ${keys.join(" ")}` })] },
    `Done: ${keys.join(" ")}`,
  ]);
  const variables = {
    ...{ ANTHROPIC_API_KEY: variable, ANTHROPIC_BASE_URL: url, NO_PROXY: "127.0.0.1,localhost" },
    HTTPS_PROXY: `http://ada:${password}@127.0.0.1:9`,
  };
  const { code, out, notes } = await program.run([...all, "-p", "go"], { variables });
  expect({ code, notes }).toMatchObject({ code: 0 });
  const { code: exportCode, notes: exportNotes } = await program.run(
    ["sessions", "export", "last", "--as", "markdown", "-o", join(program.home, "sessions/talk.md")],
    { variables },
  );
  expect({ exportCode, exportNotes }).toMatchObject({ exportCode: 0 });
  const bodies = JSON.stringify(program.server.requests.map(({ body }) => body));
  const stored = readdirSync(program.home, { recursive: true, encoding: "utf8" })
    .filter((name) => !/^(?:keys|settings)\.json$/.test(name) && statSync(join(program.home, name)).isFile())
    .map((name) => readFileSync(join(program.home, name), "latin1"))
    .join("\n");
  expect(stored).toContain("cat found.txt");
  for (const key of keys) {
    for (const text of [out, notes, bodies, stored]) expect(text).not.toContain(key);
  }
  expect(out).toContain("Done: PITH_SECRET_");
});

test("SEC11 none of 200 secrets from every kind of input is sent, shown or saved", async () => {
  const planted = createSampleSecrets(200, createSeededRandom(2_026));
  const share = sharesOf(planted, 10);
  const page = await serving(textOf(share(0)));
  const { port } = page.address() as AddressInfo;
  writeFileSync(
    join(program.home, "settings.json"),
    JSON.stringify({ fetchHosts: [`127.0.0.1:${port}`], tools: ["all"] }),
  );
  const file = (name: string, text: string): void => writeFileSync(join(program.folder, name), text);
  file("AGENTS.md", `Keep to the rules.\n${textOf(share(1))}`);
  file("named.txt", textOf(share(2)));
  file("read.txt", textOf(share(3)));
  file("out.txt", textOf(share(4)));
  file(
    "long.txt",
    `${"a line of no interest\n".repeat(3_000)}${textOf(share(5))}${"another line, longer than the rest of them\n".repeat(3_000)}`,
  );
  const replies: Step[] = [
    {
      parts: [
        { type: "thinking", text: `It is ${share(6)[0]?.text}.` },
        { type: "text", text: `I have found:\n${textOf(share(6))}` },
        call("fetch", { url: `http://127.0.0.1:${port}/page` }),
        call("read", { path: "read.txt" }),
        call("bash", { command: "cat out.txt" }),
        call("bash", { command: "cat long.txt" }),
        call("grep", { pattern: ".", path: "out.txt" }),
        call("write", { path: "made.txt", content: textOf(share(7)) }),
      ],
    },
    {
      parts: [call("edit", { path: "made.txt", edits: [{ oldText: String(share(7)[0]?.text), newText: "changed" }] })],
    },
    "All done.",
  ];
  const words = [
    "-p",
    ...all,
    "--mode",
    "json",
    "--append-system-prompt",
    textOf(share(8).slice(0, 10)),
    "@named.txt",
    textOf(share(8).slice(10)),
  ];
  const variables = {
    ANTHROPIC_API_KEY: "any",
    SOME_TOKEN: secretOf(share(9)[0]),
    OTHER_PASSWORD: secretOf(share(9)[1]),
  };
  const { url } = await program.serve(replies);
  const first = await program.run(words, {
    variables: { ...variables, ANTHROPIC_BASE_URL: url },
    input: textOf(share(9)),
  });
  expect(first).toMatchObject({ code: 0, out: expect.stringContaining("secrets_redacted") });
  const sent = JSON.stringify(program.server.requests.map(({ body }) => body));
  expect(readFileSync(join(program.folder, "made.txt"), "utf8")).toBe(
    textOf(share(7)).replace(String(share(7)[0]?.text), "changed"),
  );
  const summaryScript: Script = () => `## Goal\nTo find them.\n\n## Critical Context\n${textOf(planted)}`;
  const compacted = await program.runWithScript(
    ["-p", "-c", ...all, "/compact"],
    Array.from({ length: 6 }, () => summaryScript({} as ScriptRequest) as Step),
  );
  expect(compacted.code).toBe(0);
  const refused = await program.runWithScript(
    ["-p", "-c", ...all, "Go on."],
    [{ refuse: { status: 400, message: `not so: ${planted[0]?.text}` } }],
  );
  expect(refused.code).toBe(1);
  page.close();
  const outputs = [
    sent,
    JSON.stringify(program.server.requests.map(({ body }) => body)),
    ...[first, compacted, refused].map(shownBy),
    ...keptBy(program),
  ];
  expect(planted.filter(({ secret }) => outputs.some((text) => text.includes(secret)))).toEqual([]);
  // Each of them was there: a test that plants nothing finds nothing.
  expect(new Set(outputs.join("").match(/PITH_SECRET_\w+?_[0-9a-f]{12}/g)).size).toBeGreaterThanOrEqual(200);
});

test("SEC11 EXP1 none of 200 secrets in a session saved without redaction is exported, shown or indexed", async () => {
  const planted = createSampleSecrets(200, createSeededRandom(8));
  const created = await createSession({ cwd: program.folder, env: { PITH_HOME: program.home } });
  if (created.type !== "opened") throw new Error(created.type);
  // As another program would have written it down: nothing is redacted on the way.
  const older = await Session.open(created.store, nodeRuntime);
  for (const { text } of planted)
    await older.append({ type: "message", message: { role: "user", content: `remember\n${text}\n`, timestamp: 1 } });
  await created.store.close();
  const formats = ["pi", "markdown", "html"];
  for (const as of formats) {
    const args = ["sessions", "export", "last", "--as", as, "-o", `out-${as}`];
    expect(await program.run(args)).toMatchObject({ code: 0 });
  }
  const found = await program.run(["sessions", "search", "remember", "--limit", "300", "--json"]);
  const shown = await program.run(["sessions", "show", "last", "--tail", "300"]);
  const exported = formats.map((as) => readFileSync(join(program.folder, `out-${as}`), "utf8"));
  const index = readFileSync(join(program.home, "search.db"), "latin1");
  const outputs = [...exported, shownBy(found), shownBy(shown), index];
  expect(planted.filter(({ secret }) => outputs.some((text) => text.includes(secret)))).toEqual([]);
  for (const text of exported)
    expect(new Set(text.match(/PITH_SECRET_\w+?_[0-9a-f]{12}/g)).size).toBeGreaterThanOrEqual(200);
});

test("SEC12 a file with a secret is written and edited with its real content, also after a kill and a restart", async () => {
  const [one, two] = createSampleSecrets(2, createSeededRandom(31));
  const text = `first = ${one?.text}\nsecond = ${two?.text}\nlast\n`;
  writeFileSync(join(program.folder, "settings.conf"), text);
  const slow: Step = { parts: [{ type: "text", text: "word ".repeat(2_000) }], pace: { everyMs: 20 } };
  const reading: Step = {
    parts: [call("bash", { command: "cat settings.conf" }), call("read", { path: "settings.conf" })],
  };
  await program.runWithScript(["-p", ...all, "Read it."], [reading, slow], {
    signal: { name: "SIGKILL", afterRequests: 2 },
  });
  const script: Script = (request) => {
    const [first = "", second = ""] = new Set(
      JSON.stringify(request.body).match(/PITH_SECRET_\w+_[0-9a-f]{12}/g) ?? [],
    );
    if (request.number === 1)
      return {
        parts: [
          call("edit", {
            path: "settings.conf",
            edits: [{ oldText: `first = ${first}`, newText: `renamed = ${first}` }],
          }),
          call("write", { path: "copy.conf", content: `${first}\n${second}\n` }),
          call("bash", { command: `printf %s '${second}' > shell.txt` }),
          call("write", { path: "never.txt", content: "PITH_SECRET_github_0123456789ab" }),
        ],
      };
    return "Done.";
  };
  const { url } = await program.serve(script);
  const { code, notes } = await program.run(["-p", "-c", ...all, "Rename it."], {
    variables: { ANTHROPIC_API_KEY: "any", ANTHROPIC_BASE_URL: url },
  });
  const written = (name: string): string => readFileSync(join(program.folder, name), "utf8");
  expect(code).toBe(0);
  expect(written("settings.conf")).toBe(text.replace("first", "renamed"));
  expect(written("copy.conf")).toBe(`${one?.text}\n${two?.text}\n`);
  // A command could send it away, so it gets the placeholder.
  expect(written("shell.txt")).toMatch(/^PITH_SECRET_\w+_[0-9a-f]{12}$/);
  expect(readdirSync(program.folder)).not.toContain("never.txt");
  expect(JSON.stringify(program.lastRequestBody())).toContain(
    "PITH_SECRET_github_0123456789ab is a placeholder for a secret that is no longer known; read the file that contains it again",
  );
  expect([program.readSession(), notes, JSON.stringify(program.lastRequestBody())].join("")).not.toContain(
    secretOf(one),
  );
  expect(statSync(join(program.home, "redaction.key")).mode & 0o777).toBe(0o600);
});

test("SEC6 SEC17 a placeholder in a URL or a command is sent unchanged, with a note to the model", async () => {
  const [one] = createSampleSecrets(1, createSeededRandom(77));
  const requestPaths: string[] = [];
  const page = createServer((request, response) => {
    requestPaths.push(String(request.url));
    response.end("a page");
  });
  await new Promise<void>((resolve) => page.listen(0, "127.0.0.1", resolve));
  const { port } = page.address() as AddressInfo;
  writeFileSync(
    join(program.home, "settings.json"),
    JSON.stringify({ fetchHosts: [`127.0.0.1:${port}`], tools: ["all"] }),
  );
  writeFileSync(join(program.folder, "key.txt"), `${one?.text}\n`);
  const script: Script = ({ number, body }) => {
    const placeholder = /PITH_SECRET_\w+?_[0-9a-f]{12}/.exec(JSON.stringify(body))?.[0];
    if (number === 1) return { parts: [call("read", { path: "key.txt" })] };
    if (number > 2) return "Done.";
    const url = `http://127.0.0.1:${port}/${placeholder}`;
    return { parts: [call("fetch", { url }), call("bash", { command: `echo ${placeholder} > sent.txt` })] };
  };
  const { url } = await program.serve(script);
  const variables = { ANTHROPIC_API_KEY: "any", ANTHROPIC_BASE_URL: url };
  const { code } = await program.run(["-p", ...all, "Send it."], { variables });
  page.close();
  const placeholder = requestPaths[0]?.slice(1);
  expect(code).toBe(0);
  expect(requestPaths).toEqual([expect.stringMatching(/^\/PITH_SECRET_\w+_[0-9a-f]{12}$/)]);
  expect(readFileSync(join(program.folder, "sent.txt"), "utf8")).toBe(`${placeholder}\n`);
  expect(
    JSON.stringify(program.lastRequestBody()).split(`${placeholder} was passed literally, not replaced by the secret.`),
  ).toHaveLength(3);
});

test("SEC13 with secrets.redact off, every start warns, and secrets are saved unchanged", async () => {
  const [one] = createSampleSecrets(1, createSeededRandom(5));
  writeFileSync(join(program.home, "settings.json"), JSON.stringify({ secrets: { redact: "off" } }));
  const { notes } = await program.runWithScript(["-p", `It is ${one?.text}.`], ["Yes."]);
  expect(notes).toContain("secrets are sent and stored unredacted, because secrets.redact is off");
  expect(program.readSession()).toContain(secretOf(one));
});

test("SEC11 no command shows a secret that was saved while redaction was off", async () => {
  const [one] = createSampleSecrets(1, createSeededRandom(5));
  const settings = join(program.home, "settings.json");
  writeFileSync(settings, JSON.stringify({ secrets: { redact: "off" } }));
  await program.runWithScript(["-p", `It is ${one?.text}.`], [`Yes, ${one?.text}.`]);
  writeFileSync(settings, "{}");
  for (const [mode, words] of [
    ["text", "/tree"],
    ["json", "/resume"],
    ["json", `/name with ${secretOf(one)}`],
  ] as const) {
    const end = await program.runWithScript(["-p", "-c", "--mode", mode, words], []);
    expect(shownBy(end)).toContain("PITH_SECRET_");
    expect(shownBy(end)).not.toContain(secretOf(one));
  }
});

function sharesOf(planted: readonly SampleSecret[], count: number): (at: number) => readonly SampleSecret[] {
  const size = planted.length / count;
  return (at) => planted.slice(at * size, (at + 1) * size);
}

function textOf(planted: readonly SampleSecret[]): string {
  return planted.map(({ patternId: family, text }) => `the ${family}: ${text}\n`).join("");
}

function secretOf(planted: SampleSecret | undefined): string {
  return String(planted?.secret);
}

function shownBy({ out, notes }: ProgramResult): string {
  return `${out}\n${notes}`;
}

/** Everything in the home but the true bytes of replaced files. */
function keptBy({ home }: TestProgram): readonly string[] {
  const names = readdirSync(home, { recursive: true, encoding: "utf8" });
  const files = names.filter(
    (name) => !name.startsWith("restore") && name !== "keys.json" && statSync(join(home, name)).isFile(),
  );
  return files.map((name) => readFileSync(join(home, name), "latin1"));
}

function call(name: string, args: Readonly<Record<string, unknown>>) {
  return { type: "call", name, arguments: args } as const;
}

function serving(text: string): Promise<Server> {
  const server = createServer((_, answer) => answer.setHeader("content-type", "text/plain").end(text));
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
}
