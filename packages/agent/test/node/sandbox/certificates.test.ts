/** Tests node/sandbox/certificates.ts: what commands see of a company's certificates, and what they do not. */

import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { selectCertificateVariables } from "../../../src/node/sandbox/certificates.ts";
import { stripIni } from "../../../src/node/sandbox/copy-configuration.ts";
import {
  createSandboxFolders,
  ranIn,
  type SandboxFolders,
  SECRET,
  sandboxOptions,
} from "../../support/sandbox-folders.ts";

const CERTIFICATE = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";
const PRIVATE_KEY = `-----BEGIN PRIVATE KEY-----\n${SECRET}\n-----END PRIVATE KEY-----\n`;

function put(path: string, text = CERTIFICATE): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

/** What a command reads at a path, with these variables. */
async function read(
  folders: SandboxFolders,
  path: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<string> {
  return (await ranIn(sandboxOptions(folders, { environment, readable: [] }), `cat "${path}"`)).text;
}

describe("variables", () => {
  test.each([
    "NODE_EXTRA_CA_CERTS",
    "SSL_CERT_FILE",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "GIT_SSL_CAINFO",
    "CARGO_HTTP_CAINFO",
    "PIP_CERT",
    "npm_config_cafile",
    "NPM_CONFIG_CAFILE",
    "DENO_CERT",
    "AWS_CA_BUNDLE",
  ])("BOX41 the file that %s names is readable in the home", async (name) => {
    const folders = createSandboxFolders();
    const file = put(join(folders.home, ".company/ca.pem"));
    expect(await read(folders, file, { [name]: file })).toBe(CERTIFICATE);
    expect((await ranIn(sandboxOptions(folders, { environment: { [name]: file } }), `cat "$${name}"`)).text).toBe(
      CERTIFICATE,
    );
    expect(
      (await ranIn(sandboxOptions(folders, { environment: { [name]: file } }), `echo >"$${name}"`)).text,
    ).toContain("Read-only file system");
    const other = createSandboxFolders();
    const hidden = put(join(other.home, ".company/ca.pem"));
    expect(await read(other, hidden, { OTHER: hidden })).toContain("No such file");
  });

  test("BOX41 certificates beside the workspace, in a folder, and behind links are readable", async () => {
    const folders = createSandboxFolders({ workspaceIn: "projects" });
    const beside = put(join(folders.base, "projects/other/ca.pem"));
    put(join(folders.home, "certificates/one.pem"));
    const link = join(folders.home, "link.pem");
    symlinkSync(beside, link);
    expect(await read(folders, beside, { SSL_CERT_FILE: beside })).toBe(CERTIFICATE);
    expect(await read(folders, link, { SSL_CERT_FILE: link })).toBe(CERTIFICATE);
    const folder = join(folders.home, "certificates");
    expect(await read(folders, join(folder, "one.pem"), { SSL_CERT_DIR: `/etc/ssl/certs:${folder}` })).toBe(
      CERTIFICATE,
    );
  });

  test("BOX41 a private key, other files, folders of secrets and the home are not readable", async () => {
    const folders = createSandboxFolders();
    const both = put(join(folders.home, "both.pem"), CERTIFICATE + PRIVATE_KEY);
    expect(await read(folders, both, { SSL_CERT_FILE: both })).toContain("No such file");
    const notes = join(folders.home, "notes.txt");
    expect(await read(folders, notes, { SSL_CERT_FILE: notes })).toContain("No such file");
    const key = join(folders.home, ".ssh/id_ed25519");
    for (const folder of [join(folders.home, ".ssh"), folders.home])
      expect(await read(folders, key, { SSL_CERT_DIR: folder })).toContain("No such file");
    // Companies often put their certificates beside a program's logins.
    const aws = put(join(folders.home, ".aws/ca.pem"));
    expect(await read(folders, aws, { AWS_CA_BUNDLE: aws })).toBe(CERTIFICATE);
    expect(await read(folders, join(folders.home, ".aws/credentials"), { AWS_CA_BUNDLE: aws })).toContain(
      "No such file",
    );
  });

  test("BOX41 a link in the workspace makes no file readable", async () => {
    const folders = createSandboxFolders();
    const file = put(join(folders.home, "other.pem"));
    const link = join(folders.workspace, "ca.pem");
    symlinkSync(file, link);
    expect(await read(folders, link, { SSL_CERT_FILE: link })).toContain("No such file");
    expect(selectCertificateVariables({ SSL_CERT_FILE: link, PIP_CERT: file }, [folders.workspace])).toEqual({
      PIP_CERT: file,
    });
  });
});

describe("configuration", () => {
  test.each([
    [".npmrc", (file: string) => `registry=https://npm.example/\ncafile=${file}\n`],
    [".npmrc", () => `cafile = $\{HOME}/.company/ca.pem\n`],
    [".gitconfig", () => '[http]\n\tsslCAInfo = "~/.company/ca.pem"\n'],
    [".config/pip/pip.conf", (file: string) => `[global]\ncert = ${file}\n`],
    [".cargo/config.toml", (file: string) => `[http]\ncainfo = "${file}"\n`],
    [".yarnrc.yml", (file: string) => `httpsCaFilePath: "${file}"\n`],
    [".yarnrc", (file: string) => `cafile "${file}"\n`],
  ])("BOX41 the file that ~/%s names is readable", async (name, text) => {
    const folders = createSandboxFolders();
    const file = put(join(folders.home, ".company/ca.pem"));
    expect(await read(folders, file)).toContain("No such file");
    put(join(folders.home, name), text(file));
    expect(await read(folders, file)).toBe(CERTIFICATE);
  });

  test("BOX41 the copy of pip's configuration keeps the CA certificate, and not the user's client certificate", () => {
    const text = "[global]\ncert = /company/ca.pem\nclient-cert = /own.pem\n";
    expect(stripIni(text)).toBe("[global]\ncert = /company/ca.pem\n");
  });
});
