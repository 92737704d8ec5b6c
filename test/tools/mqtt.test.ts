// A real mosquitto, messages from `mosquitto_pub`, and random kills. TIDEMARK_MQTT_ROUNDS sets the number of kills.
import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { Tidemark } from '../../src/client/tidemark.ts'
import { pushMessages } from '../../src/mqtt/push-messages.ts'
import { makeIngest } from '../support/api.ts'
import { testProgram } from '../support/compiled.ts'
import { freePort } from '../support/free-port.ts'
import { inScratchFolder } from '../support/scratch-folder.ts'
import { adminKey, ServerProcess } from '../support/server-process.ts'
import { ConnectorProcess } from './connector-process.ts'
import { Mosquitto } from './mosquitto.ts'
import { mqttRounds } from './mqtt-rounds.ts'
import { sparkplugMessages } from './published-messages.ts'

const rounds = Number(process.env['TIDEMARK_MQTT_ROUNDS'] ?? 5)
const seed = Number(process.env['TIDEMARK_TEST_SEED'] ?? 1)
const timeout = 600_000

test.each(['5', '3.1.1'])(
  'messages that mosquitto_pub sends by MQTT %s become stored or rejected rows',
  { timeout },
  (protocol) =>
    inScratchFolder('tidemark-mqtt-', async (folder) => {
      const broker = await Mosquitto.start(folder, await freePort())
      const service = await ServerProcess.start({ dataDirectory: folder })
      const key = await makeIngest(service.url, adminKey, { alias: 'plant' })
      const more = ['--subscribe', 'plant/#', '--topic', 'plant/{T...}', '--protocol', protocol]
      const strange = ['--subscribe', 'plant/#', '--topic', 'plant/{area}/{T}', '--client-id', 'strange']
      let connector = new ConnectorProcess({ broker: broker.url, service: service.url, key, more: strange })
      const publish = (topic: string, payload: string, ...flags: string[]): void => {
        execFileSync('mosquitto_pub', ['-p', String(broker.port), '-q', '1', '-t', topic, '-m', payload, ...flags])
      }
      try {
        await connector.says(/plant has no field for area: .*add-fields plant --field area:string:dimension/)
        await connector.kill()
        connector = new ConnectorProcess({ broker: broker.url, service: service.url, key, more })
        await connector.says(/Connected/)
        expect(connector.log).not.toContain('has no field')
        publish('plant/hall/object', '{"D":"2026-01-01T00:00:00Z","V":1.5}')
        publish('plant/hall/array', '[{"D":"2026-01-01T00:00:00Z","V":1},{"D":"2026-01-01T00:00:01Z","V":2}]')
        publish('plant/hall/bare', '81.5')
        publish('plant/hall/none', '0.5', '-q', '0')
        publish('plant/hall/text', 'warm')
        publish('plant/hall/broken', '{"V":')
        publish('plant', '1')
        const admin = new Tidemark({ url: service.url, key: adminKey })
        const shown = async (): Promise<unknown> => [
          (await admin.query('select', { entity: 'plant' })).map(({ T, V }) => [T, V]).sort(),
          (await admin.rejected('plant')).Items.map(({ code, row }) => [code, JSON.stringify(row)]).sort(),
        ]
        const wanted = [
          [
            ['hall/array', 1],
            ['hall/array', 2],
            ['hall/bare', 81.5],
            ['hall/none', 0.5],
            ['hall/object', 1.5],
          ],
          [
            ['unknown_field', expect.stringContaining('mqtt_topic')],
            ['unknown_field', expect.stringContaining('mqtt_topic')],
            ['wrong_type', expect.stringContaining('warm')],
          ],
        ]
        await expect.poll(shown, { timeout: 20_000, interval: 200 }).toEqual(wanted)
        expect(await connector.stop()).toBe(0)
        expect(connector.log).toContain('7 messages, 8 rows')
      } finally {
        await connector.kill()
        await service.kill()
        await broker.kill()
      }
    }),
)

test('pushMessages pushes messages from within a program', { timeout }, () =>
  inScratchFolder('tidemark-mqtt-', async (folder) => {
    const broker = await Mosquitto.start(folder, await freePort())
    const service = await ServerProcess.start({ dataDirectory: folder })
    const client = new Tidemark({ url: service.url, key: await makeIngest(service.url, adminKey, { alias: 'plant' }) })
    const stop = new AbortController()
    const notes: string[] = []
    try {
      const where = { client, broker: broker.url, subscribe: ['plant/#'], topic: 'plant/{area}/{T}', ingest: 'plant' }
      const ended = pushMessages({ ...where, signal: stop.signal, onNote: (text) => notes.push(text) })
      await expect.poll(() => notes.join('\n')).toMatch(/plant has no field for area[\s\S]*Connected to/)
      const message = ['-t', 'plant/hall/t1', '-m', '{"area":"hall","D":"2026-01-01T00:00:00Z","V":1}']
      execFileSync('mosquitto_pub', ['-p', String(broker.port), '-q', '1', ...message])
      const admin = new Tidemark({ url: service.url, key: adminKey })
      await expect
        .poll(async () => (await admin.rejected('plant')).Items.map(({ code }) => code), { timeout: 20_000 })
        .toEqual(['unknown_field'])
      stop.abort()
      expect(await ended).toEqual({ messages: 1, rows: 1, again: 0 })
    } finally {
      stop.abort()
      await service.kill()
      await broker.kill()
    }
  }),
)

test(`each message is stored once after ${rounds} kills`, { timeout }, async () => {
  const findings = await mqttRounds({ rounds, seed })
  console.log(findings)
  expect(findings).toMatchObject({ lost: [], doubled: [] })
})

test(`each Sparkplug message is stored once after ${rounds} kills`, { timeout }, async () => {
  const findings = await mqttRounds({ rounds, seed, messages: sparkplugMessages() })
  console.log(findings)
  expect(findings).toMatchObject({ lost: [], doubled: [] })
  // The number of rejected rows depends on how long a birth takes on this machine; sparkplug-nodes.test.ts tests the rules.
  expect(findings.published).toBeGreaterThan(findings.rejected)
})

test('canary: an acknowledgement before the rows are on disk is detected', { timeout }, async () => {
  const program = testProgram('tools/acknowledges-early')
  const { lost } = await mqttRounds({ rounds: 4, seed, program, victims: ['service and connector'] })
  expect(lost.length).toBeGreaterThan(0)
})
