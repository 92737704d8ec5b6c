// Responses queued behind others on their connection. When the connection ends, Node.js notifies only the response whose turn it is. The others would never
// learn of it: their work would continue, and they would hold their resources forever.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Socket } from 'node:net'

const waitingOn = new WeakMap<Socket, Set<ServerResponse>>()

/** Closes queued responses when their connection ends. */
export function closeWaitingAnswers(server: Server): void {
  server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    if (response.socket !== null) return
    const waiting = waitingOn.get(socket) ?? watched(socket)
    waiting.add(response)
    response.once('socket', () => waiting.delete(response))
  })
}

function watched(socket: Socket): Set<ServerResponse> {
  const waiting = new Set<ServerResponse>()
  waitingOn.set(socket, waiting)
  socket.once('close', () => {
    for (const response of waiting) close(response)
  })
  return waiting
}

/** Gives the response its turn on a destroyed socket, so that it ends like a response that is cut off. */
function close(response: ServerResponse): void {
  response.assignSocket(new Socket().destroy())
}
