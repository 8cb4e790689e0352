/** Tests node/sandbox/certificates.ts: what commands see of a company's certificates, and what they do not. */

import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { selectCertificateVariables } from "../../../src/node/sandbox/certificates.ts";
import { stripIni } from "../../../src/node/sandbox/copy-configuration.ts";
import { boxOf, ranIn, SECRET, type World, world } from "./world.ts";

const CERTIFICATE = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";
const PRIVATE_KEY = `-----BEGIN PRIVATE KEY-----\n${SECRET}\n-----END PRIVATE KEY-----\n`;

function put(path: string, text = CERTIFICATE): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

/** What a command reads at a path, with these variables. */
async function read(place: World, path: string, environment: Readonly<Record<string, string>> = {}): Promise<string> {
  return (await ranIn(boxOf(place, { environment, readable: [] }), `cat "${path}"`)).text;
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
    const place = world();
    const file = put(join(place.home, ".company/ca.pem"));
    expect(await read(place, file, { [name]: file })).toBe(CERTIFICATE);
    expect((await ranIn(boxOf(place, { environment: { [name]: file } }), `cat "$${name}"`)).text).toBe(CERTIFICATE);
    expect((await ranIn(boxOf(place, { environment: { [name]: file } }), `echo >"$${name}"`)).text).toContain(
      "Read-only file system",
    );
    const other = world();
    const hidden = put(join(other.home, ".company/ca.pem"));
    expect(await read(other, hidden, { OTHER: hidden })).toContain("No such file");
  });

  test("BOX41 beside the workspace, in a folder, and by links", async () => {
    const place = world({ workspaceIn: "projects" });
    const beside = put(join(place.base, "projects/other/ca.pem"));
    put(join(place.home, "certificates/one.pem"));
    const link = join(place.home, "link.pem");
    symlinkSync(beside, link);
    expect(await read(place, beside, { SSL_CERT_FILE: beside })).toBe(CERTIFICATE);
    expect(await read(place, link, { SSL_CERT_FILE: link })).toBe(CERTIFICATE);
    const folder = join(place.home, "certificates");
    expect(await read(place, join(folder, "one.pem"), { SSL_CERT_DIR: `/etc/ssl/certs:${folder}` })).toBe(CERTIFICATE);
  });

  test("BOX41 only certificates: no private key, no other file, no folder of secrets, and not the home", async () => {
    const place = world();
    const both = put(join(place.home, "both.pem"), CERTIFICATE + PRIVATE_KEY);
    expect(await read(place, both, { SSL_CERT_FILE: both })).toContain("No such file");
    const notes = join(place.home, "notes.txt");
    expect(await read(place, notes, { SSL_CERT_FILE: notes })).toContain("No such file");
    const key = join(place.home, ".ssh/id_ed25519");
    for (const folder of [join(place.home, ".ssh"), place.home])
      expect(await read(place, key, { SSL_CERT_DIR: folder })).toContain("No such file");
    // Companies often put their certificates beside a program's logins.
    const aws = put(join(place.home, ".aws/ca.pem"));
    expect(await read(place, aws, { AWS_CA_BUNDLE: aws })).toBe(CERTIFICATE);
    expect(await read(place, join(place.home, ".aws/credentials"), { AWS_CA_BUNDLE: aws })).toContain("No such file");
  });

  test("BOX41 a link in the workspace makes nothing visible", async () => {
    const place = world();
    const file = put(join(place.home, "other.pem"));
    const link = join(place.workspace, "ca.pem");
    symlinkSync(file, link);
    expect(await read(place, link, { SSL_CERT_FILE: link })).toContain("No such file");
    expect(selectCertificateVariables({ SSL_CERT_FILE: link, PIP_CERT: file }, [place.workspace])).toEqual({
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
    const place = world();
    const file = put(join(place.home, ".company/ca.pem"));
    expect(await read(place, file)).toContain("No such file");
    put(join(place.home, name), text(file));
    expect(await read(place, file)).toBe(CERTIFICATE);
  });

  test("BOX41 the copy of pip's configuration keeps it, and not the user's own certificate", () => {
    const text = "[global]\ncert = /company/ca.pem\nclient-cert = /own.pem\n";
    expect(stripIni(text)).toBe("[global]\ncert = /company/ca.pem\n");
  });
});
