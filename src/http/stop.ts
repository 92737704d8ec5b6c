import { setImmediate as turn } from 'node:timers/promises'
import { Problem } from '../model/problem.ts'
import type { InFlight } from './in-flight.ts'
import { closeSockets } from './open-sockets.ts'
import type { App } from './route.ts'

export interface StopOptions {
  /** How long requests in flight may continue. */
  readonly shutdownMs: number
  /** Aborting it ends the wait immediately. */
  readonly atOnce: AbortSignal
}

/** How long the last responses may take to be sent. */
const flushMs = 500

/**
 * Stops the server: new requests are refused with 503, requests in flight are finished, and those still running after `shutdownMs` end with 503. Resolves
 * when the port is free and every connection is closed.
 */
export async function stopServer(app: App, inFlight: InFlight, { shutdownMs, atOnce }: StopOptions): Promise<void> {
  inFlight.stop()
  await settled(inFlight.empty(), shutdownMs, atOnce)
  inFlight.endAll(new Problem('shutting_down', 'The service stopped before the answer was ready. Retry later.'))
  await settled(inFlight.empty(), flushMs, atOnce)
  // Data that has already arrived is read in the next turn, so that its request is refused rather than cut off.
  await turn()
  await settled(inFlight.empty(), flushMs, atOnce)
  app.server.closeAllConnections()
  closeSockets(app.server)
  await app.close()
}

/** Resolves with `done`, after `timeoutMs`, or at the signal, whichever is first. */
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
