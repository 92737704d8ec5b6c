import { existsSync, readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { request } from '../load.ts'
import { isInstalled } from './installed.ts'
import { answerOf, type Candidate, freeAddress, launchForLines, type QuerySpec } from './system.ts'

export const questdb: Candidate = {
  name: 'QuestDB',
  answersWhen: 'its rows are in the write-ahead log, not fsynced',
  missing() {
    if (!isInstalled('java')) return 'apt-get install openjdk-17-jre-headless'
    if (findJar() === undefined)
      return 'mvn dependency:get -Dartifact=org.questdb:questdb:9.3.4, or its jar in QUESTDB_JAR'
    return null
  },
  async start(folder, ends) {
    const { address, url } = await freeAddress()
    const environment = {
      QDB_HTTP_BIND_TO: address,
      QDB_HTTP_MIN_ENABLED: 'false',
      QDB_PG_ENABLED: 'false',
      QDB_LINE_TCP_ENABLED: 'false',
      QDB_TELEMETRY_ENABLED: 'false',
    }
    const opened = ['--add-exports', 'java.base/jdk.internal.math=ALL-UNNAMED']
    opened.push('--add-opens', 'java.base/java.lang=ALL-UNNAMED')
    const program = [...opened, '-cp', findJar()!, 'io.questdb.ServerMain', '-d', folder]
    const readyUrl = url + pathOf('SELECT 1')
    const launching = { command: 'java', arguments: program, environment, folder, readyUrl }
    const system = await launchForLines({ name: this.name, url, pushPath: '/write?precision=ms', ...launching }, ends)
    await answerOf(url + pathOf(table))
    return {
      ...system,
      ask: (asked) => request(url, 'GET', pathOf(textOf(asked)), {}, ''),
      async countRows(toMs) {
        return datasetOf(
          await answerOf(url + pathOf(`SELECT count() FROM t WHERE timestamp < ${literal(toMs)}`)),
        )[0]![0]!
      },
      firstMean: (answer) => datasetOf(answer)[0]!.at(-1)!,
    }
  },
}

/** QuestDB's folder in Maven's local repository. */
const kept = join(homedir(), '.m2/repository/org/questdb/questdb')

function findJar(): string | undefined {
  const { QUESTDB_JAR } = process.env
  if (QUESTDB_JAR !== undefined) return QUESTDB_JAR
  if (!existsSync(kept)) return undefined
  const names = readdirSync(kept, { recursive: true }) as string[]
  const name = names
    .filter((file) => /questdb-[\d.]+\.jar$/.test(file))
    .sort()
    .at(-1)
  return name === undefined ? undefined : join(kept, name)
}

const table = `CREATE TABLE t (timestamp TIMESTAMP, "T" SYMBOL CAPACITY 2048 INDEX, area SYMBOL, "V" DOUBLE, "W" DOUBLE)
TIMESTAMP(timestamp) PARTITION BY DAY WAL`

const pathOf = (text: string): string => `/exec?query=${encodeURIComponent(text)}`
const literal = (ms: number): string => `'${new Date(ms).toISOString()}'`
const newest = 'LATEST ON timestamp PARTITION BY "T"'
const hourly = 'SAMPLE BY 1h ALIGN TO CALENDAR'

function textOf(asked: QuerySpec): string {
  if (asked.kind === 'latest') return `SELECT * FROM t WHERE "T" = '${asked.tag}' ${newest}`
  if (asked.kind === 'before')
    return `SELECT * FROM t WHERE "T" = '${asked.tag}' AND timestamp <= ${literal(asked.atMs)} ${newest}`
  const range = `timestamp >= ${literal(asked.fromMs)} AND timestamp < ${literal(asked.toMs)}`
  if (asked.kind === 'pooled') return `SELECT timestamp, avg("V") FROM t WHERE ${range} ${hourly}`
  const listed = asked.tags.map((tag) => `'${tag}'`).join()
  return `SELECT timestamp, "T", avg("V") FROM t WHERE "T" IN (${listed}) AND ${range} ${hourly}`
}

function datasetOf(answer: string): number[][] {
  return (JSON.parse(answer) as { dataset: number[][] }).dataset
}
