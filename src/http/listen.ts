// A name like localhost may have two addresses. One server handles the connections of both, so its settings apply to all.
import { lookup } from 'node:dns/promises'
import { createServer, isIP, type Server, type Socket } from 'node:net'
import { closeSockets, watchSockets } from './open-sockets.ts'
import type { App } from './route.ts'

export interface ListenOptions {
  readonly host: string
  readonly port: number
  /** Resolves a name to its addresses, the first one preferred. */
  readonly addressesOf?: (name: string) => Promise<readonly string[]>
}

export interface Listening {
  readonly url: string
  /** Stops accepting connections at all addresses except the first, which is the server's own. */
  readonly closeOthers: () => Promise<void>
}

async function lookedUp(name: string): Promise<readonly string[]> {
  const found = await lookup(name, { all: true })
  return [...new Set(found.map(({ address }) => address))]
}

/** Passes its connections to the server. Null for an address that cannot be used, for example one of another machine. */
async function listener(app: App, options: { readonly host: string; readonly port: number }): Promise<Server | null> {
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket: Socket) => {
    app.server.emit('connection', socket)
  })
  watchSockets(server)
  return await new Promise((resolve) => {
    server.once('error', () => resolve(null)).listen(options, () => resolve(server))
  })
}

async function closed(server: Server): Promise<void> {
  const over = new Promise<void>((resolve) => {
    server.close(() => resolve())
  })
  closeSockets(server)
  await over
}

/** Rejects like Node.js when the first address cannot be listened on. */
export async function listen(app: App, { host, port, addressesOf = lookedUp }: ListenOptions): Promise<Listening> {
  const [first = host, ...others] = isIP(host) === 0 ? await addressesOf(host) : [host]
  const url = await app.listen({ host: first, port })
  const taken = Number(new URL(url).port || (url.startsWith('https:') ? 443 : 80))
  const made = await Promise.all(others.map((address) => listener(app, { host: address, port: taken })))
  const listeners = made.filter((server) => server !== null)
  return {
    url,
    closeOthers: async () => {
      await Promise.all(listeners.map(closed))
    },
  }
}
