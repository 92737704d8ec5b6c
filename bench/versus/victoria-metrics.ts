import { request } from '../load.ts'
import { firstMs } from '../plant.ts'
import { isInstalled } from './installed.ts'
import { answerOf, type Candidate, freeAddress, launchForLines, type QuerySpec } from './system.ts'

export const victoriaMetrics: Candidate = {
  name: 'VictoriaMetrics',
  answersWhen: 'its rows are in memory: on disk within seconds, there is no log',
  missing: () => (isInstalled('victoria-metrics') ? null : 'apt-get install victoria-metrics'),
  async start(folder, ends) {
    const { address, url } = await freeAddress()
    const flags = [`-storageDataPath=${folder}/data`, `-httpListenAddr=${address}`]
    // Rows of any age are kept, and the newest can be queried immediately.
    flags.push('-retentionPeriod=100y', '-search.latencyOffset=0s', '-loggerLevel=ERROR')
    const launching = { command: 'victoria-metrics', arguments: flags, folder, readyUrl: `${url}/health` }
    const system = await launchForLines({ name: this.name, url, pushPath: '/write?precision=ms', ...launching }, ends)
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    return {
      ...system,
      ask(asked) {
        const { path, parameters } = questionOf(asked)
        return request(url, 'POST', path, form, new URLSearchParams({ ...parameters, nocache: '1' }).toString())
      },
      async countRows(toMs) {
        await answerOf(`${url}/internal/force_flush`)
        const query = `sum(count_over_time(t_V[${(toMs - firstMs) / 1000 + 10}s]))`
        const parameters = new URLSearchParams({ query, time: seconds(toMs - 1), nocache: '1' })
        const text = await answerOf(`${url}/api/v1/query?${parameters}`)
        const { data } = JSON.parse(text) as { data: { result: { value: [number, string] }[] } }
        return Number(data.result[0]?.value[1] ?? 0)
      },
      firstMean(answer) {
        const { data } = JSON.parse(answer) as { data: { result: { values: [number, string][] }[] } }
        return Number(data.result[0]!.values[0]![1])
      },
    }
  },
}

const hourMs = 3_600_000
const seconds = (ms: number): string => (ms / 1000).toFixed(3)
/** The maximum age of the newest value; all rows are younger. */
const lookBack = '3d'

function questionOf(asked: QuerySpec): { readonly path: string; readonly parameters: Record<string, string> } {
  if (asked.kind === 'latest') return newestAt(asked.tag, asked.newestMs)
  if (asked.kind === 'before') return newestAt(asked.tag, asked.atMs)
  // A range excludes its start and includes its end: an hour's rows end a millisecond before the next hour.
  const range = { start: seconds(asked.fromMs + hourMs - 1), end: seconds(asked.toMs - 1), step: '1h' }
  const query =
    asked.kind === 'pooled'
      ? 'sum(sum_over_time(t_V[1h])) / sum(count_over_time(t_V[1h]))'
      : `avg_over_time(t_V${selectorOf(asked.tags)}[1h])`
  return { path: '/api/v1/query_range', parameters: { query, ...range } }
}

function newestAt(tag: string, ms: number) {
  const query = `last_over_time(t_V${selectorOf([tag])}[${lookBack}])`
  return { path: '/api/v1/query', parameters: { query, time: seconds(ms) } }
}

function selectorOf(tags: readonly string[]): string {
  if (tags.length === 1) return `{T="${tags[0]}"}`
  return `{T=~"${tags.map((tag) => tag.replaceAll('.', '\\\\.')).join('|')}"}`
}
