/** Sends bytes to a server that no HTTP client would send. */

import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** Opens a connection. Errors of it are no errors of the test. */
export async function openSocket(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on("error", () => {});
  await once(socket, "connect");
  return socket;
}

/** Sends text and returns all that the server sends until it closes the connection. */
export async function sendText(url: string, text: string | Uint8Array): Promise<string> {
  const socket = await openSocket(url);
  socket.write(text);
  return await readAll(socket);
}

export async function readAll(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  if (!socket.closed) await once(socket, "close");
  return Buffer.concat(chunks).toString("latin1");
}

/** The statuses of the answers. */
export function readStatuses(text: string): readonly number[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}
