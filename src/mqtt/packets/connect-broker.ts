// Tested by `test/tools/mqtt.test.ts`.
import { connect as connectPlain, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import {
  generate,
  type IConnackPacket,
  type IConnectPacket,
  type ISubackPacket,
  type Packet,
  parser,
} from 'mqtt-packet'
import {
  type BrokerConnection,
  BrokerError,
  type BrokerOptions,
  type ConnectBroker,
  type ReceivedMessage,
} from '../broker.ts'
import { PacketCutter } from './packet-cutter.ts'

const connectTimeoutMs = 20_000
/** How long a broker may take to close the connection after a disconnect. */
const leaveTimeoutMs = 5000
const subscribeId = 1
const firstRefusal = 0x80

/** Reason codes of MQTT 3.1.1 and MQTT 5. */
const refusals = new Map<number, string>([
  [1, 'it does not speak this version of MQTT; --protocol has the others'],
  [2, 'it does not accept this client id'],
  [4, 'the user name or password is wrong'],
  [5, 'this user may not connect'],
  [0x84, 'it does not speak MQTT 5; try --protocol 3.1.1'],
  [0x85, 'it does not accept this client id'],
  [0x86, 'the user name or password is wrong'],
  [0x87, 'this user may not connect'],
  [0x8a, 'this client is banned'],
])

function openSocket({ url, ca }: BrokerOptions): Socket {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (url.protocol === 'mqtt:') return connectPlain(Number(url.port || 1883), host)
  const options = { host, port: Number(url.port || 8883), ...(ca === undefined ? {} : { ca }) }
  return connectTls(/^[\d.]+$|:/.test(host) ? options : { ...options, servername: host })
}

function connectPacket(options: BrokerOptions): IConnectPacket {
  const { clientId, protocol, inFlightMax, keepAliveS: keepalive, username, password } = options
  return {
    ...{ cmd: 'connect', protocolId: 'MQTT', clientId, clean: false, keepalive },
    protocolVersion: protocol === '5' ? 5 : 4,
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password: Buffer.from(password) }),
    // The session does not expire. No maximum packet size is set, because the broker would silently drop larger messages.
    ...(protocol === '5' ? { properties: { sessionExpiryInterval: 0xffff_ffff, receiveMaximum: inFlightMax } } : {}),
  }
}

/** Errors that mean that nothing responds at the address. */
const unreachable = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'])

function unusableText(host: string, reason: string): string {
  return unreachable.has(reason)
    ? `The broker ${host} cannot be reached (${reason}). Does it run, and is this its address?`
    : `The broker ${host} cannot be used: ${reason}.`
}

class Connection implements BrokerConnection {
  isResumed = false
  readonly ended: Promise<string>
  readonly #socket: Socket
  readonly #options: BrokerOptions
  readonly #wire: { protocolVersion: number }
  readonly #cutter: PacketCutter
  readonly #onMessage: (message: ReceivedMessage) => void
  #onConnack: (packet: IConnackPacket) => void = () => undefined
  #onSuback: (packet: ISubackPacket) => void = () => undefined
  #reason = 'the broker closed the connection'
  #lastPacketMs = performance.now()
  #paused = false

  constructor(options: BrokerOptions, onMessage: (message: ReceivedMessage) => void) {
    this.#options = options
    this.#onMessage = onMessage
    this.#wire = { protocolVersion: options.protocol === '5' ? 5 : 4 }
    const packets = parser(this.#wire)
    packets.on('packet', (packet) => this.#read(packet))
    this.#cutter = new PacketCutter(options.messageBytesMax, (bytes) => packets.parse(bytes))
    packets.on('error', (error: unknown) => this.#end(`the broker sent data that is not MQTT (${String(error)})`))
    const socket = openSocket(options)
    this.#socket = socket
    socket.setNoDelay(true)
    socket.on('data', (bytes: Buffer) => {
      this.#lastPacketMs = performance.now()
      this.#cutter.push(bytes)
    })
    socket.on('error', (error) => {
      this.#reason = 'code' in error ? String(error.code) : error.message
    })
    this.ended = new Promise((resolve) => {
      socket.once('close', () => {
        clearInterval(alive)
        resolve(this.#reason)
      })
    })
    const alive = setInterval(() => this.#keepAlive(), (options.keepAliveS * 1000) / 2)
  }

  async begin(): Promise<void> {
    const { signal } = this.#options
    const timer = setTimeout(() => this.#end(`no answer within ${connectTimeoutMs / 1000} s`), connectTimeoutMs)
    const stopped = (): void => this.#end('the connection attempt was stopped')
    signal?.addEventListener('abort', stopped)
    if (signal?.aborted === true) stopped()
    const over = this.ended.then((reason) => {
      throw new BrokerError(unusableText(this.#options.url.host, reason), { isFinal: false })
    })
    try {
      const connack = new Promise<IConnackPacket>((resolve) => {
        this.#onConnack = resolve
      })
      this.#send(connectPacket(this.#options))
      this.#greet(await Promise.race([connack, over]))
      const suback = new Promise<ISubackPacket>((resolve) => {
        this.#onSuback = resolve
      })
      const subscriptions = this.#options.filters.map((topic) => ({ topic, qos: 1 as const, rh: 1 }))
      this.#send({ cmd: 'subscribe', messageId: subscribeId, subscriptions })
      this.#checkGranted(await Promise.race([suback, over]))
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', stopped)
    }
  }

  acknowledge(messageId: number): void {
    this.#send({ cmd: 'puback', messageId, reasonCode: 0 })
  }

  publish(topic: string, payload: Uint8Array): void {
    this.#send({ cmd: 'publish', topic, payload: Buffer.from(payload), qos: 0, dup: false, retain: false })
  }

  pause(): void {
    this.#paused = true
    this.#socket.pause()
  }

  resume(): void {
    this.#paused = false
    this.#lastPacketMs = performance.now()
    this.#socket.resume()
  }

  close(): void {
    this.#send({ cmd: 'disconnect', reasonCode: 0 })
    this.#socket.end()
    // Remaining input is read and dropped: otherwise the end of the connection after it would not be noticed.
    this.#socket.removeAllListeners('data').resume()
    const timer = setTimeout(() => this.#socket.destroy(), leaveTimeoutMs)
    void this.ended.then(() => clearTimeout(timer))
  }

  #greet({ returnCode, reasonCode, sessionPresent }: IConnackPacket): void {
    const code = reasonCode ?? returnCode ?? 0
    this.isResumed = sessionPresent
    if (code === 0) return
    const why = refusals.get(code) ?? `reason ${code}`
    this.#end(why)
    throw new BrokerError(`The broker ${this.#options.url.host} refuses: ${why}.`, { isFinal: refusals.has(code) })
  }

  #checkGranted({ granted }: ISubackPacket): void {
    const at = granted.findIndex((code) => Number(code) >= firstRefusal)
    if (at === -1) return
    const why = `it does not let ${this.#options.clientId} subscribe to ${this.#options.filters[at]} (reason ${granted[at]})`
    this.#end(why)
    throw new BrokerError(`The broker ${this.#options.url.host} refuses: ${why}.`, { isFinal: true })
  }

  #read(packet: Packet): void {
    if (packet.cmd === 'connack') this.#onConnack(packet)
    else if (packet.cmd === 'suback') this.#onSuback(packet)
    else if (packet.cmd === 'disconnect') this.#end(`the broker ended the session (reason ${packet.reasonCode ?? 0})`)
    else if (packet.cmd === 'publish') {
      const { topic, payload, qos, dup, messageId } = packet
      const bytes = typeof payload === 'string' ? Buffer.from(payload) : payload
      const { cutBytes } = this.#cutter
      this.#onMessage({ topic, payload: bytes, cutBytes, packetId: qos === 0 ? null : messageId!, isAgain: dup })
    }
  }

  #keepAlive(): void {
    const silentMs = performance.now() - this.#lastPacketMs
    if (!this.#paused && silentMs > this.#options.keepAliveS * 1500) this.#end('the broker is silent')
    else this.#send({ cmd: 'pingreq' })
  }

  #send(packet: Packet): void {
    if (this.#socket.writable) this.#socket.write(generate(packet, this.#wire))
  }

  #end(reason: string): void {
    this.#reason = reason
    this.#socket.destroy()
  }
}

/** Connects with MQTT 5 or 3.1.1 over TCP or TLS, to a session that outlives the connection. */
export const connectBroker: ConnectBroker = async (options, onMessage) => {
  const connection = new Connection(options, onMessage)
  await connection.begin()
  return connection
}
