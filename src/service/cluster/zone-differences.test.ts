import { expect, test } from 'vitest'
import { DruidSqlClient } from '../../druid-client/druid-sql-client.ts'
import { formatOffset } from '../../druid-time/zone.ts'
import { offsetsOfZone } from '../../druid-time/zone-rules.ts'
import type { ServiceEvent } from '../../observe/event.ts'
import { checkTimeZones } from './zone-differences.ts'

const nowMs = () => Date.UTC(2026, 5, 1)

/** A Druid that evaluates the statement, with a JVM whose rules for some zones differ. */
function druidWith(offsetMs: (name: string, ms: number) => number) {
  const asked: string[] = []
  const client = {
    async *query(_language: string, query: object) {
      const text = String(Reflect.get(query, 'query'))
      asked.push(text)
      const names = [...text.matchAll(/'ZZ', '([^']+)'/g)].map(([, name]) => name!)
      const instants = [...text.matchAll(/\(CAST\((\d+) AS BIGINT\)\)/g)].map(([, ms]) => Number(ms))
      for (const ms of instants)
        yield Buffer.from(`${JSON.stringify([ms, ...names.map((name) => formatOffset(offsetMs(name, ms)))])}\n`)
      yield Buffer.from('\n')
    },
  }
  return { asked, engine: new DruidSqlClient({ client, settings: { clusterName: 'c', queryTimeMs: 1000 }, nowMs }) }
}

async function toldBy(engine: DruidSqlClient): Promise<readonly ServiceEvent[]> {
  const events: ServiceEvent[] = []
  await checkTimeZones({ engine, observe: (event) => events.push(event), nowMs }, new AbortController().signal)
  return events
}

const ours = (name: string, ms: number): number => offsetsOfZone(name)(ms)

test('time zones that differ in Druid are reported, after a single query', async () => {
  const isOther = (name: string, ms: number): boolean => name === 'Europe/Madrid' && ms > Date.UTC(2028, 0, 1)
  const { engine, asked } = druidWith((name, ms) => (isOther(name, ms) ? 0 : ours(name, ms)))
  expect(await toldBy(engine)).toEqual([
    { kind: 'timeZonesDiffer', zones: ['Europe/Madrid'], differing: 1, version: process.versions['tz'] },
  ])
  expect(asked).toHaveLength(1)
})

test('only some of many differing zones are named', async () => {
  const { engine } = druidWith(() => 0)
  const [event] = await toldBy(engine)
  expect(event).toMatchObject({ kind: 'timeZonesDiffer' })
  expect(Reflect.get(event!, 'zones')).toHaveLength(20)
  expect(Reflect.get(event!, 'differing')).toBeGreaterThan(300)
})

test('nothing is reported for a Druid with the same zones', async () => {
  expect(await toldBy(druidWith(ours).engine)).toEqual([])
})
