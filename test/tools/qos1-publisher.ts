import { connect, type Socket } from 'node:net'
import { generate, parser } from 'mqtt-packet'

interface Sent {
  readonly topic: string
  readonly payload: string | Uint8Array
  acknowledgedMs: number | null
}

/** The messages and connections that a Sparkplug node reacts to. */
interface Listening {
  readonly topic: string
  readonly onMessage: () => void
  /** Called before anything is resent. */
  readonly onConnect?: () => void
}

/** A killed broker may forget messages that it acknowledged since its last write to disk. */
const forgottenMs = 2000

/** Publishes with QoS 1 and resends messages without acknowledgement. */
export class Qos1Publisher {
  readonly #port: number
  readonly #listening: Listening | undefined
  readonly #sent: Sent[] = []
  #open = new Map<number, Sent>()
  #socket: Socket | null = null
  #nextId = 1

  constructor(port: number, listening?: Listening) {
    this.#port = port
    this.#listening = listening
  }

  get count(): number {
    return this.#sent.length
  }

  get openCount(): number {
    return this.#sent.filter(({ acknowledgedMs }) => acknowledgedMs === null).length
  }

  publish(topic: string, payload: string | Uint8Array): void {
    const message: Sent = { topic, payload, acknowledgedMs: null }
    this.#sent.push(message)
    this.#send(message)
  }

  /** Publishes with QoS 0. */
  publishOnce(topic: string, payload: Uint8Array): void {
    const packet = { cmd: 'publish', topic, payload: Buffer.from(payload), qos: 0, dup: false, retain: false } as const
    this.#socket?.write(generate(packet))
  }

  /** Connects, and resends messages that may not have arrived. */
  async connect(): Promise<void> {
    const socket = connect(this.#port, '127.0.0.1')
    socket.on('error', () => undefined)
    const packets = parser({ protocolVersion: 4 })
    await new Promise<void>((resolve, reject) => {
      socket.once('close', () => reject(new Error('the broker closed the connection')))
      packets.on('packet', (packet) => {
        if (packet.cmd === 'connack') resolve()
        if (packet.cmd === 'puback') this.#acknowledged(packet.messageId!)
        if (packet.cmd === 'publish') this.#listening?.onMessage()
      })
      socket.on('data', (bytes: Buffer) => packets.parse(bytes))
      const clientId = `publisher-${this.#sent.length}-${Math.random()}`
      socket.write(
        generate({ cmd: 'connect', protocolId: 'MQTT', protocolVersion: 4, clientId, clean: true, keepalive: 0 }),
      )
    })
    this.#socket = socket
    socket.once('close', () => {
      if (this.#socket === socket) this.#socket = null
    })
    if (this.#listening !== undefined) {
      const subscriptions = [{ topic: this.#listening.topic, qos: 0 as const }]
      socket.write(generate({ cmd: 'subscribe', messageId: 65_535, subscriptions }))
      this.#listening.onConnect?.()
    }
    this.#open.clear()
    const sinceMs = performance.now() - forgottenMs
    for (const message of this.#sent) {
      if (message.acknowledgedMs !== null && message.acknowledgedMs < sinceMs) continue
      message.acknowledgedMs = null
      this.#send(message)
    }
  }

  /** Closes the connection; nothing is sent until `connect`. */
  disconnect(): void {
    this.#socket?.destroy()
    this.#socket = null
  }

  #send(message: Sent): void {
    if (this.#socket === null) return
    const messageId = this.#nextId
    this.#nextId = (this.#nextId % 65_535) + 1
    this.#open.set(messageId, message)
    const { topic, payload } = message
    const bytes = Buffer.from(payload)
    this.#socket.write(
      generate({ cmd: 'publish', topic, payload: bytes, qos: 1, messageId, dup: false, retain: false }),
    )
  }

  #acknowledged(messageId: number): void {
    const message = this.#open.get(messageId)
    if (message === undefined) return
    message.acknowledgedMs = performance.now()
    this.#open.delete(messageId)
  }
}
