// The sockets of a server, including those in a TLS handshake, which `closeAllConnections` of Node.js does not know.
// Tested by `test/faults/tls.test.ts`.
import type { Server, Socket } from 'node:net'

const socketsOf = new WeakMap<Server, Set<Socket>>()

export function watchSockets(server: Server): void {
  const sockets = new Set<Socket>()
  socketsOf.set(server, sockets)
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
}

export function closeSockets(server: Server): void {
  for (const socket of socketsOf.get(server) ?? []) socket.destroy()
}
