// Panels of dashboards in Druid's native language and in SQL: run by the store, by the SQL engine, by Druid itself, or by another build, in turns.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ServerProcess } from '../test/support/server-process.ts'
import type { OtherBuild } from './at-rest.ts'
import { withPlantInDruid } from './druid-plant.ts'
import { median, printTable, spread } from './figures.ts'
import { nativePanels, type Panel, rawRows, sqlPanels } from './panel-questions.ts'
import { makePlantAtRest, measurePlantsAtRest } from './plant-at-rest.ts'
import { pointsOfTag } from './questions.ts'

interface PanelsBenchOptions {
  readonly runs: number
  /** Sizes of the data sets, in rows. */
  readonly sizes: readonly number[]
  /** Whether to run the same panels on a running Druid. */
  readonly besideDruid: boolean
}

/** How long each query is repeated in a run, in turns. */
const forMs = 1500
const timesMin = 3

/** Longer than any query that the store runs directly, so a padded query goes to the SQL engine. */
const padding = ' '.repeat(16 * 1024)

const druidName = 'Druid'

/** A system to query, and how. */
interface Side {
  readonly name: string
  readonly url: string
  /** Insignificant whitespace in the request. */
  readonly space: string
}

export async function benchPanels({ runs, sizes, besideDruid }: PanelsBenchOptions): Promise<void> {
  await measurePlantsAtRest(sizes, async ({ url, tags }) => {
    const store = { name: 'store', url, space: '' }
    const engine = { name: 'SQL engine', url, space: padding }
    if (!besideDruid) return measure(tags, runs, [store, engine])
    await withPlantInDruid(tags, (druidUrl) =>
      measure(tags, runs, [store, engine, { name: druidName, url: druidUrl, space: '' }]),
    )
  })
}

/** Both builds get the same rows, each in files of its own. Raw rows are measured too. */
export async function comparePanels(runs: number, rows: number, builds: readonly OtherBuild[]): Promise<void> {
  const tags = Math.max(1, Math.round(rows / pointsOfTag))
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-bench-'))
  const servers: ServerProcess[] = []
  try {
    const sides: Side[] = []
    for (const [place, build] of builds.entries()) {
      const dataDirectory = join(folder, String(place))
      await makePlantAtRest(dataDirectory, tags, build)
      const server = await ServerProcess.start({ dataDirectory, ...build })
      servers.push(server)
      sides.push({ name: place === 0 ? 'this build' : 'the other build', url: server.url, space: '' })
    }
    await measure(tags, runs, sides, rawRows(tags))
  } finally {
    for (const server of servers) await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

async function measure(tags: number, runs: number, sides: readonly Side[], more: readonly Panel[] = []): Promise<void> {
  const lines: string[][] = []
  for (const panel of [...more, ...nativePanels(tags), ...sqlPanels(tags)]) {
    const line = await measurePanel(panel, runs, sides)
    console.log(line.join('  '))
    lines.push(line)
  }
  const others = sides.slice(1).map(({ name }) => name)
  printTable(
    `${(tags * pointsOfTag) / 1e6} million rows, panels over HTTP`,
    ['panel', 'answered by', ...sides.map(({ name }) => `${name} p50 ms`), ...others.map((name) => `to ${name}`)],
    lines,
  )
}

/** The medians of each side, and the ratios of the first side to the others, per run. */
async function measurePanel(panel: Panel, runs: number, sides: readonly Side[]): Promise<string[]> {
  const medians = new Map<Side, number[]>()
  let answeredBy = ''
  for (let run = 0; run < runs; run++) {
    const found = new Map<Side, number[]>()
    for (const side of sides) {
      const asked = await ask(panel, side)
      if (side === sides[0]) answeredBy = asked?.answeredBy ?? ''
      if (asked !== null) found.set(side, [])
    }
    const startedMs = performance.now()
    while (found.get(sides[0]!)!.length < timesMin || performance.now() - startedMs < forMs) {
      for (const [side, times] of found) times.push((await ask(panel, side))!.ms)
    }
    for (const [side, times] of found) medians.set(side, [...(medians.get(side) ?? []), median(times)])
  }
  const own = medians.get(sides[0]!)!
  const shown = (side: Side, digits: number, figure: (ms: number, run: number) => number): string => {
    const times = medians.get(side)
    return times === undefined ? 'refused' : spread(times.map(figure), digits)
  }
  return [
    panel.name,
    answeredBy,
    ...sides.map((side) => shown(side, 1, (ms) => ms)),
    ...sides.slice(1).map((side) => shown(side, 2, (ms, run) => own[run]! / ms)),
  ]
}

/** Null if Druid does not accept the query: some functions are in extensions that are not loaded. */
async function ask({ name, path, body }: Panel, { name: sideName, url, space }: Side) {
  const askedMs = performance.now()
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: body(space),
  })
  const text = await response.text()
  const ms = performance.now() - askedMs
  if (response.status === 400 && sideName === druidName) return null
  if (!response.ok) throw new Error(`${name}, ${sideName}: ${response.status} ${text}`)
  return { ms, answeredBy: response.headers.get('tidemark-answered-by') ?? '' }
}
