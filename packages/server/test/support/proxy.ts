/** Passes connections on to PostgreSQL, and loses what a test wants lost. */

import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A proxy in front of a port. */
export interface Proxy {
  readonly port: number;
  /** From now on, nothing that the server answers arrives, and no connection ends. */
  swallowAnswers(): void;
  /** The next answers arrive again; connections whose answers were lost break. */
  passAnswers(): void;
  close(): Promise<void>;
}

export async function startProxy(port: number): Promise<Proxy> {
  const connections = new Set<readonly [client: Socket, server: Socket]>();
  let isSwallowing = false;
  const listener = createServer((client) => {
    const server = connect(port, "127.0.0.1");
    connections.add([client, server]);
    client.on("data", (bytes) => server.write(bytes));
    server.on("data", (bytes) => void (isSwallowing || client.write(bytes)));
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      one.on("error", () => {});
      one.on("close", () => other.destroy());
    }
  });
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  const breakAll = (): void => {
    for (const [client] of connections) client.destroy();
    connections.clear();
  };
  return {
    port: (listener.address() as AddressInfo).port,
    swallowAnswers: () => {
      isSwallowing = true;
    },
    passAnswers: () => {
      isSwallowing = false;
      breakAll();
    },
    async close() {
      breakAll();
      listener.close();
      await once(listener, "close");
    },
  };
}
