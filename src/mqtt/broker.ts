// The port of a broker: what the connector needs of MQTT. Its adapter is `src/mqtt/packets`.

export interface ReceivedMessage {
  readonly topic: string
  readonly payload: Uint8Array
  /** How many bytes of the payload were let go of, for the message is larger than `messageBytesMax`. */
  readonly cutBytes?: number
  /** Null for QoS 0, which nobody acknowledges. */
  readonly packetId: number | null
  /** The broker has sent it before under this id, and saw no acknowledgement. */
  readonly isAgain: boolean
}

export interface BrokerOptions {
  /** `mqtt://host:1883` or `mqtts://host:8883`. */
  readonly url: URL
  readonly clientId: string
  readonly filters: readonly string[]
  readonly protocol: '5' | '3.1.1'
  /** How many messages the broker sends before it waits for acknowledgements; MQTT 5 alone knows it. */
  readonly inFlightMax: number
  readonly keepAliveS: number
  /** Of a message with its topic: what is more of a larger one is never in memory. */
  readonly messageBytesMax: number
  readonly username?: string | undefined
  readonly password?: string | undefined
  /** Certificates of the authority that signed the broker's, as PEM. */
  readonly ca?: string | undefined
  /** Ends a connection that is being made; one that stands is ended by its `close`. */
  readonly signal?: AbortSignal | undefined
}

/** A session that is open. */
export interface BrokerConnection {
  /** Whether the broker knew the session: what was not acknowledged in it comes again. */
  readonly isResumed: boolean
  /** Settles when the connection is over, with why. */
  readonly ended: Promise<string>
  acknowledge(packetId: number): void
  /** With QoS 0: nobody says whether it arrived. */
  publish(topic: string, payload: Uint8Array): void
  /** Nothing more is read until `resume`: the broker has to wait. */
  pause(): void
  resume(): void
  /** Ends the connection and leaves the session. */
  close(): void
}

/** Resolves when the subscriptions stand; rejects with `BrokerError`. Messages may come before. */
export type ConnectBroker = (
  options: BrokerOptions,
  onMessage: (message: ReceivedMessage) => void,
) => Promise<BrokerConnection>

/** The broker cannot be used. With `isFinal` it has refused, and will again. */
export class BrokerError extends Error {
  readonly isFinal: boolean

  constructor(message: string, options: { readonly isFinal: boolean }) {
    super(message)
    this.name = 'BrokerError'
    this.isFinal = options.isFinal
  }
}
