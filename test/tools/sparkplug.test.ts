// A real mosquitto, and a node with payloads of npm's `sparkplug-payload`. It is installed in a separate folder: the service uses none of its 27 MB, and it
// depends on an old protobufjs.
import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { Tidemark } from '../../src/client/tidemark.ts'
import { makeIngest } from '../support/api.ts'
import { freePort } from '../support/free-port.ts'
import { inScratchFolder } from '../support/scratch-folder.ts'
import { adminKey, ServerProcess } from '../support/server-process.ts'
import { ConnectorProcess } from './connector-process.ts'
import { Mosquitto } from './mosquitto.ts'
import { Qos1Publisher } from './qos1-publisher.ts'

const folder = fileURLToPath(new URL('../../node_modules/.cache/tools-sparkplug', import.meta.url))

type Encode = (payload: object) => Uint8Array
let encode: Encode

beforeAll(async () => {
  await mkdir(folder, { recursive: true })
  const install = ['install', '--no-audit', '--no-fund', '--no-save', '--ignore-scripts', '--prefix', folder]
  await promisify(execFile)('npm', [...install, 'sparkplug-payload@1.0.3'])
  const { get } = createRequire(join(folder, 'any.cjs'))('sparkplug-payload') as {
    get: (namespace: string) => { encodePayload: Encode }
  }
  encode = get('spBv1.0').encodePayload
})

const fields = [
  { name: 'time', type: 'timestamp', role: 'time' },
  ...['group', 'node', 'device', 'metric'].map((name) => ({ name, type: 'string', role: 'tag' })),
  { name: 'V', type: 'double', role: 'metric' },
  { name: 'S', type: 'string', role: 'metric' },
  { name: 'B', type: 'boolean', role: 'metric' },
]
const at = Date.UTC(2026, 0, 1)

/** A node that sends births on request, with QoS 0 as specified. */
class Node {
  readonly publisher: Qos1Publisher
  asked = 0
  #seq = 0

  constructor(port: number) {
    const command = 'spBv1.0/mill/NCMD/line'
    this.publisher = new Qos1Publisher(port, { topic: command, onMessage: () => this.#rebirth() })
  }

  #next(): number {
    return this.#seq++ % 256
  }

  #rebirth(): void {
    this.asked++
    this.birth()
  }

  birth(): void {
    this.#seq = 0
    const node = [
      { name: 'bdSeq', type: 'UInt64', value: 1 },
      { name: 'Node Control/Rebirth', type: 'Boolean', value: false },
      { name: 'Up/Time', alias: 1, type: 'UInt64', value: '18446744073709551615' },
    ]
    const device = [
      { name: 'Speed', alias: 2, type: 'Double', value: 0.5 },
      { name: 'Depth', alias: 3, type: 'Int16', value: -3 },
      { name: 'State', alias: 4, type: 'String', value: 'off' },
      { name: 'On', alias: 5, type: 'Boolean', value: null },
      { name: 'Raw', type: 'Bytes', value: new Uint8Array([1, 2]) },
    ]
    const birth = (path: string, metrics: object[]): void =>
      this.publisher.publishOnce(
        `spBv1.0/mill/${path}`,
        encode({ timestamp: at, seq: this.#next(), metrics: metrics.map((metric) => ({ timestamp: at, ...metric })) }),
      )
    birth('NBIRTH/line', node)
    birth('DBIRTH/line/pump', device)
  }

  data(second: number, metrics: object[], skipped = 0): void {
    this.#seq += skipped
    const timestamp = at + second * 1000
    this.publisher.publish('spBv1.0/mill/DDATA/line/pump', encode({ timestamp, seq: this.#next(), metrics }))
  }
}

test('metrics of a node become rows, and missing birth messages are requested from it', { timeout: 600_000 }, () =>
  inScratchFolder('tidemark-sparkplug-', async (scratch) => {
    const broker = await Mosquitto.start(scratch, await freePort())
    const service = await ServerProcess.start({ dataDirectory: scratch })
    const key = await makeIngest(service.url, adminKey, { alias: 'plant', fields, duplicates: 'replace' })
    const more = ['--subscribe', 'spBv1.0/#', '--text-field', 'S', '--truth-field', 'B', '--birth-wait-ms', '120000']
    const start = () => new ConnectorProcess({ broker: broker.url, service: service.url, key, more })
    const strange = ['--subscribe', 'spBv1.0/#', '--topic', 'spBv1.0/{T...}', '--client-id', 'strange']
    let connector = new ConnectorProcess({ broker: broker.url, service: service.url, key, more: strange })
    const node = new Node(broker.port)
    const admin = new Tidemark({ url: service.url, key: adminKey })
    const shown = async (): Promise<unknown[]> => {
      const items = await admin.query('select', { entity: 'plant' })
      return items.map(({ device, metric, time, V, S, B }) => {
        const second = (Date.parse(String(time)) - at) / 1000
        return `${device}/${metric} ${second} ${V ?? S ?? B}`
      })
    }
    const becomes = (rows: string[]) =>
      expect.poll(async () => (await shown()).sort(), { timeout: 60_000, interval: 200 }).toEqual(rows.sort())
    try {
      await connector.says(/plant has no T: it rejects Sparkplug rows that have them/)
      await connector.kill()
      connector = start()
      await connector.says(/Connected/)
      expect(connector.log).not.toContain('rejects Sparkplug rows')
      await node.publisher.connect()
      node.birth()
      const born = ['/Up/Time 0 18446744073709552000', 'pump/Depth 0 -3', 'pump/Speed 0 0.5']
      born.push('pump/State 0 off')
      await becomes(born)
      expect(node.asked).toBe(0)
      // `sparkplug-payload` writes the type of each value; unit tests cover types that only a birth declares.
      node.data(1, [{ alias: 2, type: 'Double', value: 1.5 }])
      node.data(2, [
        { alias: 5, type: 'Boolean', value: true },
        { alias: 4, type: 'Text', value: 'on' },
      ])
      const running = [...born, 'pump/Speed 1 1.5', 'pump/On 2 true', 'pump/State 2 on']
      await becomes(running)
      expect(node.asked).toBe(0)
      node.data(3, [{ alias: 2, type: 'Double', value: 3.5 }], 1)
      await becomes([...running, 'pump/Speed 3 3.5'])
      expect(node.asked).toBeGreaterThan(0)
      // Messages during its downtime wait at the broker; after the restart no alias is known.
      await connector.kill()
      const askedBefore = node.asked
      node.data(4, [{ alias: 3, type: 'Int16', value: -4 }])
      connector = start()
      await becomes([...running, 'pump/Speed 3 3.5', 'pump/Depth 4 -4'])
      expect(node.asked).toBeGreaterThan(askedBefore)
      // One row for each birth: its metric of a type that rows cannot have.
      const rejected = async (): Promise<string[]> =>
        (await admin.rejected('plant')).Items.map(
          ({ row }) => /\w+ is of the type \w+/.exec(JSON.stringify(row))?.[0] ?? '',
        )
      const raw = (): string[] => Array.from({ length: node.asked + 1 }, () => 'Raw is of the type Bytes')
      await expect.poll(async () => (await rejected()).join() === raw().join(), { timeout: 60_000 }).toBe(true)
      expect(await connector.stop()).toBe(0)
    } finally {
      node.publisher.disconnect()
      await connector.kill()
      await service.kill()
      await broker.kill()
    }
  }),
)
