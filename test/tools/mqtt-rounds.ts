// Publishes messages with QoS 1 while broker, connector and service are killed at random. Afterwards each message must be stored once, or be
// among the rejected rows.
import { Tidemark } from '../../src/client/tidemark.ts'
import { makeIngest } from '../support/api.ts'
import { freePort } from '../support/free-port.ts'
import { seededRandom } from '../support/random.ts'
import { inScratchFolder } from '../support/scratch-folder.ts'
import { adminKey, ServerProcess } from '../support/server-process.ts'
import { ConnectorProcess } from './connector-process.ts'
import { Mosquitto } from './mosquitto.ts'
import { jsonMessages, type PublishedMessages } from './published-messages.ts'
import type { Qos1Publisher } from './qos1-publisher.ts'

export interface MqttRoundsOptions {
  readonly rounds: number
  readonly seed: number
  readonly program?: string
  readonly messages?: PublishedMessages
  /** The processes to kill; by default any of them. */
  readonly victims?: readonly Victim[]
}

export interface MqttFindings {
  readonly seed: number
  readonly published: number
  readonly rejected: number
  readonly lost: readonly number[]
  readonly doubled: readonly number[]
}

const anyVictim = ['broker', 'connector', 'service', 'service and connector'] as const
type Victim = (typeof anyVictim)[number]
const faultyEvery = 50
const publishedPerTick = 3
const tickMs = 10
/** Missing messages count as lost when no message has arrived for this long. */
const quietMs = 20_000

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

class World {
  readonly publisher: Qos1Publisher
  readonly broker: Mosquitto
  service: ServerProcess
  connector: ConnectorProcess
  readonly #directory: string
  readonly #key: string
  readonly #program: string | undefined
  readonly messages: PublishedMessages

  constructor(parts: {
    directory: string
    broker: Mosquitto
    service: ServerProcess
    key: string
    messages: PublishedMessages
    program?: string | undefined
  }) {
    this.#directory = parts.directory
    this.broker = parts.broker
    this.service = parts.service
    this.#key = parts.key
    this.#program = parts.program
    this.messages = parts.messages
    this.publisher = parts.messages.publisher(this.broker.port)
    this.connector = this.startConnector()
  }

  startConnector(): ConnectorProcess {
    const more = [...this.messages.subscribe, '--in-flight', '200']
    const program = this.#program
    const { url: broker } = this.broker
    return new ConnectorProcess({
      broker,
      service: this.service.url,
      key: this.#key,
      more,
      ...(program === undefined ? {} : { program }),
    })
  }

  async #startService(): Promise<void> {
    this.service = await ServerProcess.start({ dataDirectory: this.#directory, port: new URL(this.service.url).port })
  }

  async kill(victim: Victim): Promise<void> {
    if (victim === 'broker') {
      await this.broker.kill()
      this.publisher.disconnect()
      await this.broker.start()
      await this.publisher.connect()
      return
    }
    // Killing both tests messages that reach the connector while the service is down. On a busy machine the connector may not have connected yet.
    if (victim === 'service and connector') await this.connector.says(/Connected/)
    if (victim !== 'connector') await this.service.kill()
    if (victim === 'service and connector') await sleep(300)
    if (victim !== 'service') await this.connector.kill()
    if (victim !== 'connector') await this.#startService()
    if (victim !== 'service') this.connector = this.startConnector()
  }
}

export function mqttRounds(options: MqttRoundsOptions): Promise<MqttFindings> {
  const { messages = jsonMessages(), program } = options
  const { fields } = messages
  return inScratchFolder('tidemark-mqtt-', async (directory) => {
    const broker = await Mosquitto.start(directory, await freePort())
    const service = await ServerProcess.start({ dataDirectory: directory })
    const key = await makeIngest(service.url, adminKey, { alias: 'plant', duplicates: 'replace', fields })
    const world = new World({ directory, broker, service, key, messages, program })
    try {
      await world.connector.says(/Connected/)
      return await roundsIn(world, options)
    } finally {
      await world.connector.kill()
      await world.broker.kill()
      await world.service.kill()
    }
  })
}

async function roundsIn(world: World, { rounds, seed, victims = anyVictim }: MqttRoundsOptions): Promise<MqttFindings> {
  const { publisher } = world
  const random = seededRandom(seed)
  await publisher.connect()
  const faulty = new Set<number>()
  const publishing = setInterval(() => {
    for (let one = 0; one < publishedPerTick; one++) {
      const V = publisher.count
      const isFaulty = V % faultyEvery === 0
      if (isFaulty) faulty.add(V)
      world.messages.publish(publisher, V, isFaulty)
    }
  }, tickMs)
  for (let round = 0; round < rounds; round++) {
    await sleep(100 + random.below(500))
    await world.kill(victims[random.below(victims.length)]!)
  }
  await sleep(300)
  clearInterval(publishing)
  while (publisher.openCount > 0) await sleep(50)
  return { seed, ...(await settled(world, publisher.count, faulty)) }
}

/** The findings, when no further message arrives. */
async function settled(
  world: World,
  published: number,
  faulty: ReadonlySet<number>,
): Promise<Omit<MqttFindings, 'seed'>> {
  const admin = new Tidemark({ url: world.service.url, key: adminKey })
  const wanted = Array.from({ length: published }, (_, V) => V)
  const { anyRejected } = world.messages
  let fewestLost = published + 1
  let sinceMs = performance.now()
  for (;;) {
    const times = new Map<number, number>()
    for await (const { V } of admin.select<{ V: number }>({ entity: 'plant' })) times.set(V, (times.get(V) ?? 0) + 1)
    const rejected = await rejectedValues(admin, world.messages)
    const lost = wanted.filter((V) => !times.has(V) && !((anyRejected || faulty.has(V)) && rejected.has(V)))
    const doubled = [...times].filter(([, count]) => count > 1).map(([V]) => V)
    if (lost.length < fewestLost) {
      fewestLost = lost.length
      sinceMs = performance.now()
    }
    if (lost.length === 0 || performance.now() - sinceMs > quietMs)
      return { published, rejected: rejected.size, lost, doubled }
    await sleep(1000)
  }
}

async function rejectedValues(admin: Tidemark, { numberOf }: PublishedMessages): Promise<Set<number>> {
  const values = new Set<number>()
  let token: string | undefined
  do {
    const page = await admin.rejected('plant', { limit: 1000, ...(token === undefined ? {} : { token }) })
    for (const { row } of page.Items) values.add(numberOf(row))
    token = page.NextToken ?? undefined
  } while (token !== undefined)
  return values
}
