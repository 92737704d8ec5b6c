import { connect as connectTo, createServer, type Server, type Socket } from 'node:net'
import { type SecureContextOptions, TLSSocket } from 'node:tls'

/** When a client starts TLS: at once, or after a request for it, as PostgreSQL's clients do. */
export type TlsStart = 'at once' | 'when asked'

/** A proxy between a client and a server that can simulate network failures. */
export class TcpProxy {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  readonly #tls: SecureContextOptions | null
  #state: 'open' | 'cut' | 'silent' = 'open'

  private constructor(
    target: { readonly host: string; readonly port: number },
    tls: SecureContextOptions | null,
    tlsStart: TlsStart,
  ) {
    this.#tls = tls
    this.#server = createServer((client) => {
      this.#hold(client)
      if (this.#state === 'cut') client.destroy()
      else if (this.#state === 'silent') client.pause()
      else if (this.#tls === null) this.#join(client, connectTo(target))
      else if (tlsStart === 'at once') this.#join(this.#secured(client), connectTo(target))
      // The client requests TLS with a message of 8 bytes and receives one letter.
      else client.once('data', () => client.write('S', () => this.#join(this.#secured(client), connectTo(target))))
    })
  }

  static async open(
    target: URL,
    tls: SecureContextOptions | null = null,
    tlsStart: TlsStart = 'when asked',
  ): Promise<TcpProxy> {
    const proxy = new TcpProxy({ host: target.hostname, port: Number(target.port) }, tls, tlsStart)
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve))
    return proxy
  }

  get port(): number {
    const address = this.#server.address()
    return typeof address === 'object' && address !== null ? address.port : 0
  }

  /** Closes all connections and refuses new ones. */
  cut(): void {
    this.#state = 'cut'
    for (const socket of this.#sockets) socket.destroy()
  }

  /** Keeps all connections open but forwards nothing. */
  silence(): void {
    this.#state = 'silent'
    for (const socket of this.#sockets) socket.unpipe().pause()
  }

  /** Accepts new connections again. */
  restore(): void {
    this.#state = 'open'
  }

  async close(): Promise<void> {
    this.cut()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #secured(client: Socket): Socket {
    return new TLSSocket(client, { isServer: true, ...this.#tls })
  }

  #join(client: Socket, server: Socket): void {
    for (const socket of [client, server]) this.#hold(socket)
    client.pipe(server).pipe(client)
    client.once('close', () => server.destroy())
    server.once('close', () => client.destroy())
  }

  #hold(socket: Socket): void {
    this.#sockets.add(socket)
    socket.on('error', () => {})
    socket.once('close', () => this.#sockets.delete(socket))
  }
}
