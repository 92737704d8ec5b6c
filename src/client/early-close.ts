/** `node:diagnostics_channel`, which no browser has. */
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
 * Tells the `fetch` of Node.js 20 that a connection closed before `fetch` listened. There the first connection of a process waits until the parser of
 * HTTP is compiled. Nobody heard a close in between, and the request was neither answered nor failed. Later versions compile it at once
 * (https://github.com/nodejs/undici/pull/4337). Node.js 20.15 lacks what this needs.
 */
export function hearEarlyCloses(): void {
  const { process }: MaybeNode = globalThis
  if (process?.versions?.node?.startsWith('20.') !== true) return
  // Said once `fetch` listens.
  process.getBuiltinModule?.('node:diagnostics_channel').subscribe('undici:client:connected', (message) => {
    const { socket } = message as Connected
    if (socket.closed) socket.emit('close')
  })
}
