import { setImmediate as turn } from 'node:timers/promises'
import { Problem } from '../model/problem.ts'
import type { InFlight } from './in-flight.ts'
import { closeSockets } from './open-sockets.ts'
import type { App } from './route.ts'

export interface StopOptions {
  /** How long requests in flight may still take. */
  readonly shutdownMs: number
  /** Ends the wait at once when it is aborted. */
  readonly atOnce: AbortSignal
}

/** How long the last answers may take to leave. */
const flushMs = 500

/**
 * Stops the server: new requests are refused with 503, those in flight are finished, and what runs on after `shutdownMs` is ended with 503.
 * Resolves when the port is free and every connection is closed.
 */
export async function stopServer(app: App, inFlight: InFlight, { shutdownMs, atOnce }: StopOptions): Promise<void> {
  inFlight.stop()
  await settled(inFlight.empty(), shutdownMs, atOnce)
  inFlight.endAll(new Problem('shutting_down', 'The service stopped before the answer was ready. Ask again later.'))
  await settled(inFlight.empty(), flushMs, atOnce)
  // What has arrived by now is read in the next turn: it is refused, and not cut off.
  await turn()
  await settled(inFlight.empty(), flushMs, atOnce)
  app.server.closeAllConnections()
  closeSockets(app.server)
  await app.close()
}

/** Resolves with `done`, after `timeoutMs`, or at the signal: whichever is first. */
async function settled(done: Promise<void>, timeoutMs: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, timeoutMs)
    signal.addEventListener('abort', () => resolve(), { once: true })
    void done.then(() => {
      clearTimeout(timer)
      resolve()
    })
  })
}
