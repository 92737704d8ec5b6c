// The port to a broker: the part of MQTT that the connector needs. Its adapter is `src/mqtt/packets`.

export interface ReceivedMessage {
  readonly topic: string
  readonly payload: Uint8Array
  /** Bytes of the payload that were dropped because the message is larger than `messageBytesMax`. */
  readonly cutBytes?: number
  /** Null for QoS 0, which is not acknowledged. */
  readonly packetId: number | null
  /** The broker sent it before under this id and received no acknowledgement. */
  readonly isAgain: boolean
}

export interface BrokerOptions {
  /** `mqtt://host:1883` or `mqtts://host:8883`. */
  readonly url: URL
  readonly clientId: string
  readonly filters: readonly string[]
  readonly protocol: '5' | '3.1.1'
  /** The most messages the broker sends before it waits for acknowledgements; MQTT 5 only. */
  readonly inFlightMax: number
  readonly keepAliveS: number
  /** Limit for a message with its topic. The excess of a larger one is dropped as it arrives and never in memory. */
  readonly messageBytesMax: number
  readonly username?: string | undefined
  readonly password?: string | undefined
  /** PEM certificates of the authority that signed the broker's certificate. */
  readonly ca?: string | undefined
  /** Aborts a connection attempt; an open connection is ended with `close`. */
  readonly signal?: AbortSignal | undefined
}

/** A connection with an open session. */
export interface BrokerConnection {
  /** Whether the broker knew the session. If so, it resends unacknowledged messages. */
  readonly isResumed: boolean
  /** Resolves with the reason when the connection has ended. */
  readonly ended: Promise<string>
  acknowledge(packetId: number): void
  /** Publishes with QoS 0, so delivery is not confirmed. */
  publish(topic: string, payload: Uint8Array): void
  /** Stops reading until `resume`, which makes the broker wait. */
  pause(): void
  resume(): void
  /** Ends the connection; the broker keeps the session. */
  close(): void
}

/** Resolves when the subscriptions are granted; rejects with `BrokerError`. Messages may arrive before that. */
export type ConnectBroker = (
  options: BrokerOptions,
  onMessage: (message: ReceivedMessage) => void,
) => Promise<BrokerConnection>

/** The broker cannot be used. `isFinal`: it refused, and will refuse again. */
export class BrokerError extends Error {
  readonly isFinal: boolean

  constructor(message: string, options: { readonly isFinal: boolean }) {
    super(message)
    this.name = 'BrokerError'
    this.isFinal = options.isFinal
  }
}
