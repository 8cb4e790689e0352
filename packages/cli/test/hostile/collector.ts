/** The attacker's host: takes HTTP, TLS, plain TCP, UDP and DNS, and keeps every byte that reaches it. */

import { execFileSync } from "node:child_process";
import { createSocket } from "node:dgram";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer as createTlsServer } from "node:tls";
import { REGISTRIES } from "./registries.ts";

/** Addresses that look public, assigned to the loopback interface of the test's own network namespace. */
export const ATTACKER = { name: "attacker.com", address: "93.184.216.34" };
export const DOCS = { name: "docs.example.com", address: "93.184.216.35" };

/** Where machines of clouds are told who they are, and with which keys. */
export const METADATA = "169.254.169.254";

const PORTS: readonly number[] = [22, 80, 8080, 9418];
const TLS_PORT = 443;

export interface Arrival {
  readonly via: string;
  readonly bytes: Buffer;
}

export class Collector {
  readonly arrivals: Arrival[] = [];
  readonly #closers: (() => void)[] = [];
  readonly #forwarded = new Set<string>();

  static async open(): Promise<Collector> {
    const collector = new Collector();
    for (const port of PORTS) await collector.#listen({ port, host: ATTACKER.address }, `tcp ${port}`);
    await collector.#listenTls();
    await collector.#answerNames();
    await collector.#redirect();
    return collector;
  }

  record(via: string, bytes: Buffer | string): void {
    this.arrivals.push({ via, bytes: Buffer.from(bytes) });
  }

  /** All that came since there were `mark` arrivals, one after the other. */
  since(mark: number): { readonly bytes: Buffer; readonly via: readonly string[] } {
    const arrivals = this.arrivals.slice(mark);
    return {
      bytes: Buffer.concat(arrivals.map(({ bytes }) => bytes)),
      via: [...new Set(arrivals.map(({ via }) => via))],
    };
  }

  /** Something of the user's that hands on whatever it is given: an agent, a container engine, a local service. */
  async forward(
    where: { readonly path: string } | { readonly port: number; readonly host: string },
    via: string,
  ): Promise<Server> {
    return await this.#listen(where, via);
  }

  /** The same, unless it is there already. */
  async forwardOnce(where: { readonly port: number; readonly host: string }, via: string): Promise<void> {
    const name = `${where.host} ${where.port}`;
    if (this.#forwarded.has(name)) return;
    this.#forwarded.add(name);
    await this.#listen(where, via);
  }

  close(): void {
    for (const close of this.#closers) close();
  }

  async #listen(
    where: { readonly path: string } | { readonly port: number; readonly host: string },
    via: string,
  ): Promise<Server> {
    const http = createHttpServer((request, response) => void this.#serve(request, response, via));
    http.on("clientError", (_, socket) => socket.destroy());
    const server = createServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", (first: Buffer) => this.#sort(socket, first, { http, via }));
    });
    await new Promise<void>((resolve, reject) => server.once("error", reject).listen(where, resolve));
    this.#closers.push(() => server.close());
    return server;
  }

  #sort(socket: Socket, first: Buffer, { http, via }: { http: Server; via: string }): void {
    this.record(via, first);
    socket.pause();
    socket.unshift(first);
    if (/^[A-Z]+ \S+ HTTP/.test(first.toString("latin1"))) http.emit("connection", socket);
    else {
      socket.removeAllListeners("data").on("data", (chunk: Buffer) => this.record(via, chunk));
      socket.write("FORWARDED\n");
    }
    socket.resume();
  }

  /** The name of the host is sent in the clear, before anything else. */
  async #listenTls(): Promise<void> {
    const http = createHttpServer((request, response) => void this.#serve(request, response, "tls"));
    const noteName = (name: string, done: (error: null) => void): void => {
      this.record("tls", `${name}\n`);
      done(null);
    };
    const server = createTlsServer({ ...makeCertificate(), SNICallback: noteName }, (socket) =>
      http.emit("connection", socket),
    );
    server.on("tlsClientError", () => {});
    await new Promise<void>((resolve) => server.listen(TLS_PORT, ATTACKER.address, resolve));
    this.#closers.push(() => server.close());
  }

  async #serve(request: IncomingMessage, response: ServerResponse, via: string): Promise<void> {
    this.record(via, `${request.method} ${request.url}\n${request.rawHeaders.join("\n")}\n`);
    const received: Buffer[] = [];
    for await (const chunk of request) received.push(chunk);
    this.record(via, Buffer.concat(received));
    const service = /info\/refs\?service=(git-receive-pack)/.exec(request.url ?? "")?.[1];
    if (request.url?.includes("info/refs") && request.headers.authorization === undefined && service === undefined)
      return void response.writeHead(401, { "www-authenticate": 'Basic realm="x"' }).end();
    if (service === undefined) return void response.end("FORWARDED\n");
    response.setHeader("content-type", `application/x-${service}-advertisement`).end(emptyRepository(service));
  }

  /** The only name server there is: each question is an arrival, since its name can carry anything. */
  async #answerNames(): Promise<void> {
    const socket = createSocket("udp4");
    socket.on("message", (query, { port, address }) => {
      const name = nameIn(query);
      if (name.endsWith(ATTACKER.name)) this.record("dns", `${name}\n`);
      socket.send(answerTo(query, name), port, address);
    });
    await new Promise<void>((resolve) => socket.bind(53, ATTACKER.address, resolve));
    const sink = createSocket("udp4");
    sink.on("message", (bytes) => this.record("udp 8080", bytes));
    await new Promise<void>((resolve) => sink.bind(8080, ATTACKER.address, resolve));
    this.#closers.push(
      () => socket.close(),
      () => sink.close(),
    );
  }

  /** A host that the user allows sends whoever wants it on to anywhere. */
  async #redirect(): Promise<void> {
    const server = createHttpServer((request, response) => {
      const to = new URL(request.url ?? "/", "http://docs.example.com").searchParams.get("to");
      if (to === null) return void response.setHeader("content-type", "text/plain").end("the documentation\n");
      response.writeHead(302, { location: to }).end();
    });
    await new Promise<void>((resolve) => server.listen(80, DOCS.address, resolve));
    this.#closers.push(() => server.close());
  }
}

function makeCertificate(): { readonly key: Buffer; readonly cert: Buffer } {
  const folder = mkdtempSync(join(tmpdir(), "pith-certificate-"));
  const [key, cert] = [join(folder, "key"), join(folder, "cert")];
  const subject = ["-subj", `/CN=${ATTACKER.name}`, "-days", "2", "-nodes"];
  execFileSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", ...subject, "-keyout", key, "-out", cert], {
    stdio: "ignore",
  });
  const pair = { key: readFileSync(key), cert: readFileSync(cert) };
  rmSync(folder, { recursive: true });
  return pair;
}

/** So that a push goes on to send something. */
function emptyRepository(service: string): string {
  const line = (text: string): string => (text.length + 4).toString(16).padStart(4, "0") + text;
  return `${line(`# service=${service}\n`)}0000${line(`${"0".repeat(40)} capabilities^{}\0report-status\n`)}0000`;
}

const HEADER = 12;

function nameIn(query: Buffer): string {
  const labels: string[] = [];
  for (let at = HEADER; (query[at] ?? 0) > 0; at += (query[at] ?? 0) + 1)
    labels.push(query.toString("latin1", at + 1, at + 1 + (query[at] ?? 0)));
  return labels.join(".").toLowerCase();
}

function answerTo(query: Buffer, name: string): Buffer {
  const end = HEADER + name.length + 2 + 4;
  const type = query.readUInt16BE(end - 4);
  const records = addressesOf(name)
    .filter((address) => address.length === (type === 1 ? 4 : 16))
    .map((address) => Buffer.from([0xc0, HEADER, 0, type, 0, 1, 0, 0, 0, 0, 0, address.length, ...address]));
  const header = Buffer.from(query.subarray(0, HEADER));
  header.writeUInt16BE(addressesOf(name).length === 0 ? 0x8183 : 0x8180, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(records.length, 6);
  header.writeUInt32BE(0, 8);
  return Buffer.concat([header, query.subarray(HEADER, end), ...records]);
}

let changes = 0;

/** Some of the attacker's names are for addresses that nobody on the internet has. */
function addressesOf(name: string): readonly (readonly number[])[] {
  const isAt = (host: { readonly name: string }): boolean => name === host.name || name.endsWith(`.${host.name}`);
  const bytes = (address: string): readonly number[] => address.split(".").map(Number);
  if (isAt(DOCS)) return [bytes(DOCS.address)];
  if (isAt(REGISTRIES)) return [bytes(REGISTRIES.address)];
  if (!isAt(ATTACKER)) return [];
  switch (name.split(".")[0]) {
    case "loopback":
      return [bytes("127.0.0.1")];
    case "metadata":
      return [bytes(METADATA)];
    case "both":
      return [bytes(ATTACKER.address), bytes("127.0.0.1")];
    case "mapped":
      return [[...new Array(10).fill(0), 255, 255, 127, 0, 0, 1]];
    case "changing":
      changes += 1;
      return [bytes(changes % 2 === 0 ? "127.0.0.1" : ATTACKER.address)];
    default:
      return [bytes(ATTACKER.address)];
  }
}
