/** What commands see of the home: a private home, read-only toolchains, and no secrets. */

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { openPrivateFolders } from "../../../src/node/sandbox/private-folders.ts";
import { secretPathsIn } from "../../../src/node/sandbox/secret-paths.ts";
import { findToolchains } from "../../../src/node/sandbox/toolchains.ts";
import {
  createSandboxFolders,
  HOME_FILES,
  ranIn,
  type SandboxFolders,
  SECRET,
  sandboxOptions,
  untouchable,
} from "../../support/sandbox-folders.ts";

function put(path: string, text = ""): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

const SECRET_FILES = Object.keys(HOME_FILES).filter((name) => HOME_FILES[name]?.includes(SECRET));

describe("the home", () => {
  test.each(SECRET_FILES)("BOX8 a command cannot see ~/%s", async (name) => {
    const folders = createSandboxFolders();
    const command = `cat ~/${name} ${folders.home}/${name} /proc/1/root${folders.home}/${name}; grep -rs ${SECRET} ~ && echo ESCAPED`;
    const { text } = await ranIn(sandboxOptions(folders), command);
    expect(text).toContain("No such file");
    expect(text.replaceAll(`grep -rs ${SECRET}`, "")).not.toMatch(/sk-never|ESCAPED/);
  });

  test.each([".npm/_npx/1/bin", ".cargo/registry/src/a.rs", "go/pkg/mod/a.go", ".bashrc"])(
    "BOX8 a file written to ~/%s changes nothing outside and is there for the next command",
    async (name) => {
      const folders = createSandboxFolders();
      const before = untouchable(folders);
      const options = sandboxOptions(folders, { mayWrite: () => false });
      expect((await ranIn(options, `mkdir -p ~/${dirname(name)}; echo changed >~/${name}`)).end).toMatchObject({
        exitCode: 0,
      });
      expect((await ranIn(options, `cat ~/${name}`)).text).toBe("changed\n");
      expect(untouchable(folders)).toEqual(before);
    },
  );

  test("BOX8 a workspace in the home is visible, and its siblings are not", async () => {
    const folders = createSandboxFolders({ workspaceIn: "home/code" });
    put(join(folders.home, "code/other/file"), SECRET);
    const { text } = await ranIn(sandboxOptions(folders), "cat .git/HEAD; ls ..; ls -A ~; touch new");
    expect(text).toBe("ref: refs/heads/main\nworkspace\ncode\n");
  });

  test("BOX8 a workspace in a repository can read the whole repository and change only itself", async () => {
    const folders = createSandboxFolders();
    const part = join(folders.workspace, "packages/part");
    mkdirSync(part, { recursive: true });
    put(join(folders.workspace, "shared.json"), "shared\n");
    const options = sandboxOptions({ ...folders, workspace: part });
    const { text } = await ranIn(options, "cat ../../shared.json; touch ../../new; touch own && git status --short");
    expect(text).toMatch(/^shared\n.*new.*Read-only.*\n\?\? /);
  });

  test("BOX18 a command that makes its home unwritable, or replaces folders by files, does not break later commands", async () => {
    const folders = createSandboxFolders({ workspaceIn: "home/code" });
    put(join(folders.home, ".pyenv/bin/python"));
    const options = sandboxOptions(folders);
    const close = "rm -rf ~/.pyenv; echo x >~/.pyenv; chmod 000 ~/code ~ /tmp";
    expect((await ranIn(options, close)).end).toMatchObject({ type: "ended" });
    const { end, text } = await ranIn(options, "ls ~/.pyenv/bin; touch new ~/new /tmp/new && echo written");
    expect({ end, text }).toEqual({ end: { type: "ended", exitCode: 0 }, text: "python\nwritten\n" });
  });

  test("BOX19 a command with a secret runs nothing that other commands left in the private home, and leaves nothing there", async () => {
    const folders = createSandboxFolders();
    const options = sandboxOptions(folders, {
      environment: { PATH: `${folders.home}/.local/bin:${process.env.PATH}` },
    });
    await ranIn(
      options,
      "mkdir -p ~/.local/bin; printf '#!/bin/sh\\necho planted' >~/.local/bin/tool; chmod +x ~/.local/bin/tool; touch /tmp/planted",
    );
    expect((await ranIn(options, "tool")).text).toBe("planted\n");
    const command = "tool; ls /tmp; git config user.name; echo $TOKEN | tee ~/kept /tmp/kept";
    const { text } = await ranIn(options, command, { environment: { TOKEN: "given" }, hosts: [] });
    expect(text).toMatch(/tool: command not found\n[\s\S]*given\n$/);
    expect(text).not.toContain("planted");
    expect((await ranIn(options, "ls /tmp; cat ~/kept")).text).toMatch(/planted\n.*No such file/);
    expect(readdirSync(dirname(folders.privateHome)).filter((name) => name.startsWith("once-"))).toEqual([]);
  });

  test("BOX19 a command with only a credential file sees no files of other commands, and leaves none", async () => {
    const folders = createSandboxFolders();
    const options = sandboxOptions(folders);
    await ranIn(options, "echo planted | tee ~/planted /tmp/planted");
    const command = "cat ~/planted /tmp/planted 2>/dev/null; cat ~/.npmrc | tee ~/kept /tmp/kept";
    const { text } = await ranIn(options, command, { credentialFiles: ["~/.npmrc"] });
    expect(text).toBe(HOME_FILES[".npmrc"]);
    expect((await ranIn(options, "cat ~/kept /tmp/kept /tmp/planted")).text).toMatch(
      /^(?:.*No such file.*\n){2}planted\n$/,
    );
  });

  test("BOX8 links in the private home do not redirect mounts", async () => {
    const folders = createSandboxFolders();
    put(join(folders.home, ".pyenv/bin/python"));
    const before = untouchable(folders);
    symlinkSync("/oldroot/etc", join(folders.privateHome, ".pyenv"));
    const { end, text } = await ranIn(sandboxOptions(folders), "ls ~/.pyenv/bin");
    expect({ end, text }).toEqual({ end: { type: "ended", exitCode: 0 }, text: "python\n" });
    expect(untouchable(folders)).toEqual(before);
  });

  test("BOX9 other homes and system secrets are not visible", async () => {
    const { text } = await ranIn(
      sandboxOptions(createSandboxFolders()),
      "ls -A /home; cat /etc/shadow /etc/gshadow /etc/sudoers /etc/ssh/ssh_host_*_key; ls -A /etc/ssl/private /etc/sudoers.d; grep -c root /etc/passwd",
    );
    expect(text.split("\n").filter((line) => !/No such file|Permission denied/.test(line))).toEqual(
      expect.arrayContaining([expect.stringMatching(/^\d+$/)]),
    );
    expect(text).not.toMatch(/^root:|ALL=\(|PRIVATE KEY/m);
  });
});

test("BOX1 the folder of the user's sockets is empty at any path", async () => {
  const folders = createSandboxFolders();
  const runtime = join(folders.outside, "runtime");
  put(join(runtime, "bus"), SECRET);
  const { text } = await ranIn(
    sandboxOptions(folders, { environment: { XDG_RUNTIME_DIR: runtime } }),
    `ls -A ${runtime}; cat ${folders.outside}/file`,
  );
  expect(text).toBe("as it was\n");
});

describe("the temporary folder", () => {
  test("BOX10 a command can neither see nor change other files in /tmp", async () => {
    const folders = createSandboxFolders();
    const theirs = put(join(mkdtempSync(join(tmpdir(), "pith-theirs-")), "file"), "as it was\n");
    onTestFinished(() => rmSync(dirname(theirs), { recursive: true }));
    const { text } = await ranIn(
      sandboxOptions(folders),
      `cat ${theirs}; rm -rf ${dirname(theirs)}; echo x >/tmp/own; ls /tmp /var/tmp; echo $TMPDIR $TMP $TEMP`,
    );
    expect(text).toMatch(/No such file/);
    expect(text).toMatch(/\/tmp:\n[\s\S]*own\n[\s\S]*\/var\/tmp:\n[\s\S]*own\n[\s\S]*\n\/tmp \/tmp \/tmp\n$/);
    expect(readFileSync(theirs, "utf8")).toBe("as it was\n");
    expect(readFileSync(join(folders.temporary, "own"), "utf8")).toBe("x\n");
  });
});

describe("toolchains", () => {
  function found(folders: SandboxFolders, PATH: string): readonly string[] {
    const { home, privateHome } = folders;
    return findToolchains({ home, privateHome, hidden: [home], environment: { PATH } })
      .map(({ path }) => path.slice(home.length + 1))
      .toSorted();
  }

  test("BOX11 folders in PATH are visible with their installation", () => {
    const folders = createSandboxFolders();
    const at = (name: string): string => join(folders.home, name);
    put(at("tools/node/bin/node"));
    put(at("tools/node/lib/npm.js"));
    put(at("code/project/bin/run"));
    put(at("code/project/.env"), SECRET);
    put(at(".local/bin/tool"));
    put(at(".local/share/tool/notes"));
    put(at(".cargo/bin/cargo"));
    put(at("tools/web/node_modules/.bin/tsc"));
    const PATH = ["tools/web/node_modules/.bin", "tools/node/bin", "code/project/bin", ".local/bin", ".cargo/bin"]
      .map(at)
      .join(":");
    expect(found(folders, `${PATH}:/usr/bin:${folders.home}:relative`)).toEqual([
      ".cargo/bin",
      ".local/bin",
      "code/project/bin",
      "tools/node",
      "tools/web/node_modules",
    ]);
  });

  test("BOX11 link targets of programs in PATH are visible", () => {
    const folders = createSandboxFolders();
    const program = put(join(folders.home, ".venvs/tool/bin/tool"));
    mkdirSync(join(folders.home, ".venvs/tool/lib"));
    mkdirSync(join(folders.home, "bin"));
    symlinkSync(program, join(folders.home, "bin/tool"));
    expect(found(folders, join(folders.home, "bin"))).toEqual([".venvs/tool", "bin"]);
  });

  test("BOX11 links that a command leaves in a workspace folder of PATH or of a variable make nothing visible later", async () => {
    const folders = createSandboxFolders();
    const bin = join(folders.workspace, ".venv/bin");
    put(join(bin, "tool"));
    put(join(folders.home, "Documents/file"), SECRET);
    const environment = { PATH: `${bin}:${process.env.PATH}`, VIRTUAL_ENV: join(folders.workspace, ".venv") };
    const look = "cat ~/notes.txt ~/Documents/file";
    const ways = [
      "ln -s ~/notes.txt .venv/bin/x; ln -s ~/Documents .venv/bin/y",
      "rm -r .venv; ln -s ~/Documents .venv",
    ];
    for (const way of ways) {
      await ranIn(sandboxOptions(folders, { environment }), way);
      expect((await ranIn(sandboxOptions(folders, { environment }), look)).text).not.toContain(SECRET);
    }
  });

  test("BOX11 a toolchain runs and cannot be changed", async () => {
    const folders = createSandboxFolders();
    const bin = join(folders.home, ".cargo/bin");
    writeFileSync(put(join(bin, "own-tool")), "#!/bin/sh\necho ran\n", { mode: 0o755 });
    execFileSync("chmod", ["+x", join(bin, "own-tool")]);
    const options = sandboxOptions(folders, { environment: { PATH: `${bin}:${process.env.PATH}` } });
    const { text } = await ranIn(options, "own-tool; echo x >~/.cargo/bin/own-tool; touch ~/.cargo/credentials");
    expect(text).toMatch(/^ran\n.*Read-only.*\n$/);
  });
});

test("BOX14 a credential file is visible only to the command that was permitted to use it", async () => {
  const folders = createSandboxFolders();
  const options = sandboxOptions(folders);
  const elsewhere = put(join(folders.base, "elsewhere/.netrc"), SECRET);
  const credentialFiles = ["~/.npmrc", "~/.netrc", "~/.ssh", "~/no-such-file", "~/../elsewhere/.netrc", elsewhere];
  const { text } = await ranIn(options, "cat ~/.npmrc; cat ~/.ssh/*; (echo x >~/.npmrc) 2>/dev/null", {
    credentialFiles,
  });
  expect(text).toContain(`_authToken=${SECRET}`);
  expect(text).toContain("No such file");
  expect((await ranIn(options, "cat ~/.npmrc ~/.netrc")).text).not.toContain(SECRET);
  expect((await ranIn(options, `cat ${elsewhere}`, { credentialFiles })).text).toContain("No such file");
  expect(readFileSync(join(folders.home, ".npmrc"), "utf8")).toBe(HOME_FILES[".npmrc"]);
});

describe("readable and writable folders of the settings", () => {
  test("BOX12 readable folders can be read, writable ones written, and neither shows secrets", async () => {
    const folders = createSandboxFolders();
    const at = (name: string): string => join(folders.home, name);
    put(at(".config/editor/settings"), "mine\n");
    put(at("code/lib/a"), "a\n");
    mkdirSync(at("code/sister"));
    const options = sandboxOptions(folders, {
      readable: [at(".config"), at("code/lib"), at(".ssh"), at(".aws/credentials"), folders.home],
      writable: [at("code/sister"), at(".gnupg")],
    });
    const { text } = await ranIn(
      options,
      "cat ~/.config/editor/settings ~/code/lib/a; touch ~/code/sister/new && echo wrote; (echo x >~/code/lib/a) 2>/dev/null || echo kept; cat ~/.ssh/* ~/.aws/* ~/.gnupg/* ~/.config/gh/* ~/notes.txt 2>/dev/null",
    );
    expect(text).toBe("mine\na\nwrote\nkept\n");
    const { text: planned } = await ranIn(
      { ...options, mayWrite: () => false },
      "ls ~/code/sister; touch ~/code/sister/b",
    );
    expect(planned).toMatch(/^new\n.*Read-only/);
  });

  test("BOX12 hooks and configuration of a writable repository are guarded", async () => {
    const folders = createSandboxFolders();
    const sister = join(folders.home, "sister");
    execFileSync("git", ["init", "-q", sister]);
    const before = readFileSync(join(sister, ".git/config"), "utf8");
    const { text } = await ranIn(
      sandboxOptions(folders, { writable: [sister] }),
      "cd ~/sister; touch ok && echo x >.git/hooks/pre-commit; git config a.b c; mkdir .vscode/x; ls",
    );
    expect(text).toMatch(/Read-only[\s\S]*\nok\n$/);
    expect(readFileSync(join(sister, ".git/config"), "utf8")).toBe(before);
  });
});

const CARGO = "cargo --version >/dev/null 2>&1 && echo works || echo fails";

describe("the home of this machine", () => {
  const folder = mkdtempSync(join(tmpdir(), "pith-sandbox-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test.each([
    [
      "git",
      "git init -q sub && cd sub && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m first && git log --format=%s",
      /^first\n$/,
    ],
    ["npm", "npm --version", /^\d+\./],
    ["python", "python3 -m venv --without-pip v && v/bin/python -c 'print(6 * 7)'", /^42\n$/],
    // A cargo of another home says the same in the sandbox as outside it.
    ["cargo", CARGO, new RegExp(`^${execFileSync("bash", ["-c", CARGO], { encoding: "utf8" })}`)],
    ["node", "node -p 6*7", /^42\n$/],
  ])("BOX2 ordinary work succeeds with the real home: %s", async (_, command, expectedOutput) => {
    const { workspace } = createSandboxFolders();
    const folders = await openPrivateFolders({ folder, root: workspace, home: homedir(), environment: process.env });
    onTestFinished(() => folders.close());
    const options = {
      ...sandboxOptions({ ...createSandboxFolders(), workspace }),
      home: homedir(),
      privateHome: folders.home,
      fillHome: folders.fillHome,
      temporary: folders.temporary,
    };
    const { end, text } = await ranIn({ ...options, environment: process.env }, command);
    expect(text).toMatch(expectedOutput);
    expect(end).toMatchObject({ exitCode: 0 });
  });

  test("BOX8 no secret of the real home is visible", async () => {
    const sandboxFolders = createSandboxFolders();
    const folders = await openPrivateFolders({
      folder,
      root: sandboxFolders.workspace,
      home: homedir(),
      environment: process.env,
    });
    onTestFinished(() => folders.close());
    const copies =
      /\/(?:\.npmrc|\.config\/(?:pip|go|uv|pypoetry)|\.pip|\.cargo\/config(?:\.toml)?|\.m2\/settings\.xml|\.gradle\/gradle\.properties|\.yarnrc\.yml)$/;
    const paths = secretPathsIn(homedir()).filter((path) => !copies.test(path));
    const { home: privateHome, fillHome, temporary } = folders;
    const options = { ...sandboxOptions(sandboxFolders), home: homedir(), privateHome, fillHome, temporary };
    const { text } = await ranIn(
      options,
      `for p in ${paths.map((path) => `'${path}'`).join(" ")}; do [ -e "$p" ] && echo "$p"; done; true`,
    );
    expect(text).toBe("");
  });
});
