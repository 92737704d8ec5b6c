// Answers that wait behind others on their connection. Node.js tells only the answer whose turn it is that the connection has ended. Nothing would be told of the
// others: their work would go on, and what they hold would be held for ever.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Socket } from 'node:net'

const waitingOn = new WeakMap<Socket, Set<ServerResponse>>()

/** Closes the answers that have not had their turn when their connection ends. */
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

/** It has its turn on a connection that is over: so it comes to the same end as an answer that is cut off. */
function close(response: ServerResponse): void {
  response.assignSocket(new Socket().destroy())
}
