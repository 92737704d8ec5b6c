// Disconnects clients that do not read their responses; otherwise they could hold a connection for as long as they like.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Socket } from 'node:net'

/** Disconnects a client that reads nothing for `sendIdleMs` of the part of a complete response that the operating system has not accepted yet. */
export function cutOffUnsent(server: Server, sendIdleMs: number): void {
  // One listener for all responses: `this` is the complete one. A response queued behind others completes when it has its turn.
  const whole = function (this: ServerResponse): void {
    if (this.socket !== null && this.socket.writableLength > 0) cutOffIdle(this, sendIdleMs)
  }
  server.prependListener('request', (_request: IncomingMessage, response: ServerResponse) => {
    response.on('prefinish', whole)
  })
}

/** Node.js closes the connection when nothing moves on it for `sendIdleMs`, from the turn of this response until its end. */
export function cutOffIdle(raw: ServerResponse, sendIdleMs: number): void {
  // A response queued behind another one has no socket yet.
  if (raw.socket === null) raw.once('socket', (socket: Socket) => watch(raw, socket, sendIdleMs))
  else watch(raw, raw.socket, sendIdleMs)
}

function watch(raw: ServerResponse, socket: Socket, sendIdleMs: number): void {
  if (!(socket instanceof Socket)) return
  socket.setTimeout(sendIdleMs)
  // Ends before Node.js sets the keep-alive timeout: the next request may have arrived already and take long to process.
  raw.prependOnceListener('finish', () => socket.setTimeout(0))
}
