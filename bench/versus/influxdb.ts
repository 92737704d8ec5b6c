import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { request } from '../load.ts'
import { isInstalled } from './installed.ts'
import { answerOf, type Candidate, freeAddress, launchForLines, type QuerySpec } from './system.ts'

export const influxdb: Candidate = {
  name: 'InfluxDB',
  answersWhen: 'its rows are in the write-ahead log, fsynced',
  missing: () => (isInstalled('influxd') ? null : 'apt-get install influxdb'),
  async start(folder, ends) {
    const { address, url } = await freeAddress()
    mkdirSync(folder, { recursive: true })
    const config = join(folder, 'influxdb.conf')
    writeFileSync(config, configOf(folder, address, (await freeAddress()).address))
    const launching = { command: 'influxd', arguments: ['-config', config], folder, readyUrl: `${url}/ping` }
    const pushPath = '/write?db=x&precision=ms'
    const system = await launchForLines({ name: this.name, url, pushPath, ...launching }, ends)
    await answerOf(`${url}/query?q=CREATE+DATABASE+x`, { method: 'POST' })
    const pathOf = (text: string): string => `/query?db=x&epoch=ms&q=${encodeURIComponent(text)}`
    return {
      ...system,
      ask: (asked) => request(url, 'GET', pathOf(textOf(asked)), {}, ''),
      async countRows(toMs) {
        const text = await answerOf(url + pathOf(`SELECT COUNT(V) FROM t WHERE time < ${toMs}ms`))
        return firstValue(text) ?? 0
      },
      firstMean: (answer) => firstValue(answer) ?? Number.NaN,
    }
  },
}

/** The default configuration except for its paths and addresses. Its query log is off, because the others have none. */
function configOf(folder: string, address: string, rpcAddress: string): string {
  return `reporting-disabled = true
bind-address = "${rpcAddress}"
[meta]
dir = "${folder}/meta"
[data]
dir = "${folder}/data"
wal-dir = "${folder}/wal"
query-log-enabled = false
[http]
bind-address = "${address}"
log-enabled = false
[logging]
level = "error"
`
}

function textOf(asked: QuerySpec): string {
  if (asked.kind === 'latest') return `SELECT LAST(V), W FROM t WHERE ${anyOf([asked.tag])}`
  if (asked.kind === 'before') return `SELECT LAST(V), W FROM t WHERE ${anyOf([asked.tag])} AND time <= ${asked.atMs}ms`
  const range = `time >= ${asked.fromMs}ms AND time < ${asked.toMs}ms`
  if (asked.kind === 'pooled') return `SELECT MEAN(V) FROM t WHERE ${range} GROUP BY time(1h)`
  return `SELECT MEAN(V) FROM t WHERE (${anyOf(asked.tags)}) AND ${range} GROUP BY time(1h), "T"`
}

function anyOf(tags: readonly string[]): string {
  return tags.map((tag) => `"T" = '${tag}'`).join(' OR ')
}

function firstValue(answer: string): number | undefined {
  const { results } = JSON.parse(answer) as { results: { series?: { values: number[][] }[] }[] }
  return results[0]?.series?.[0]?.values[0]?.[1]
}
