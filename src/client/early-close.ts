/** `node:diagnostics_channel`, which browsers do not have. */
interface DiagnosticsChannels {
  subscribe(name: string, listener: (message: unknown) => void): void
}

interface MaybeNode {
  readonly process?: {
    readonly versions?: { readonly node?: string }
    readonly getBuiltinModule?: (name: string) => DiagnosticsChannels
  }
}

interface Connected {
  readonly socket: { readonly closed: boolean; emit(event: 'close'): void }
}

/**
 * Notifies the `fetch` of Node.js 20 of a connection that closed before `fetch` listened. There the first connection of a process waits until the HTTP
 * parser is compiled. A close in between was missed, and the request neither succeeded nor failed. Later versions compile it immediately
 * (https://github.com/nodejs/undici/pull/4337). Node.js 20.15 lacks the API for this.
 */
export function fixMissedCloses(): void {
  const { process }: MaybeNode = globalThis
  if (process?.versions?.node?.startsWith('20.') !== true) return
  // Published when `fetch` listens.
  process.getBuiltinModule?.('node:diagnostics_channel').subscribe('undici:client:connected', (message) => {
    const { socket } = message as Connected
    if (socket.closed) socket.emit('close')
  })
}
