// Clients that take nothing of their answers: a connection would be held for as long as they like.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Socket } from 'node:net'

/**
 * Cuts off a client that takes nothing of an answer for so long, whoever wrote it: what the system has not taken when the answer is whole, because the
 * client does not read.
 */
export function cutOffUnsent(server: Server, sendIdleMs: number): void {
  // One listener for all answers: which of them is whole is its `this`. One behind others is so when it has its turn.
  const whole = function (this: ServerResponse): void {
    if (this.socket !== null && this.socket.writableLength > 0) cutOffIdle(this, sendIdleMs)
  }
  server.prependListener('request', (_request: IncomingMessage, response: ServerResponse) => {
    response.on('prefinish', whole)
  })
}

/** Node ends the connection when nothing moves on it for so long, from the turn of this answer to its end. */
export function cutOffIdle(raw: ServerResponse, sendIdleMs: number): void {
  // Behind another answer it has none yet.
  if (raw.socket === null) raw.once('socket', (socket: Socket) => watch(raw, socket, sendIdleMs))
  else watch(raw, raw.socket, sendIdleMs)
}

function watch(raw: ServerResponse, socket: Socket, sendIdleMs: number): void {
  if (!(socket instanceof Socket)) return
  socket.setTimeout(sendIdleMs)
  // The time ends with the answer, before Node gives the connection the time between requests: the next one may be asked already, and be long in the making.
  raw.prependOnceListener('finish', () => socket.setTimeout(0))
}
