// Panels of dashboards in Druid's native language and in SQL: answered by the store, beside the same questions through the SQL engine, by turns.
import { median, printTable, spread } from './figures.ts'
import { nativePanels, type Panel, sqlPanels } from './panel-questions.ts'
import { measurePlantsAtRest, type PlantAtRest } from './plant-at-rest.ts'
import { pointsOfTag } from './questions.ts'

interface PanelsBenchOptions {
  readonly runs: number
  /** Sizes of the data sets, in rows. */
  readonly sizes: readonly number[]
}

/** How long each question is asked in a run, by turns. */
const forMs = 1500
const timesMin = 3

/** The store answers no longer query than this, so one that is padded goes to the SQL engine. */
const padding = ' '.repeat(16 * 1024)

export async function benchPanels({ runs, sizes }: PanelsBenchOptions): Promise<void> {
  await measurePlantsAtRest(sizes, (plant) => measure(plant, runs))
}

async function measure({ url, tags }: PlantAtRest, runs: number): Promise<void> {
  const lines: string[][] = []
  for (const panel of [...nativePanels(tags), ...sqlPanels(tags)]) {
    const found = { plain: [] as number[], engine: [] as number[], ratio: [] as number[] }
    let answeredBy = ''
    for (let run = 0; run < runs; run++) {
      const plain: number[] = []
      const engine: number[] = []
      answeredBy = (await ask(url, panel, false)).answeredBy
      await ask(url, panel, true)
      const startedMs = performance.now()
      while (plain.length < timesMin || performance.now() - startedMs < forMs) {
        plain.push((await ask(url, panel, false)).ms)
        engine.push((await ask(url, panel, true)).ms)
      }
      found.plain.push(median(plain))
      found.engine.push(median(engine))
      found.ratio.push(median(plain) / median(engine))
    }
    const line = [panel.name, answeredBy, spread(found.plain, 1), spread(found.engine, 1), spread(found.ratio, 2)]
    console.log(line.join('  '))
    lines.push(line)
  }
  printTable(
    `${(tags * pointsOfTag) / 1e6} million rows, panels over HTTP`,
    ['panel', 'answered by', 'p50 ms', 'SQL engine p50 ms', 'ratio'],
    lines,
  )
}

async function ask(url: string, { name, path, body }: Panel, isPadded: boolean) {
  const askedMs = performance.now()
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: body(isPadded ? padding : ''),
  })
  const text = await response.text()
  const ms = performance.now() - askedMs
  if (!response.ok) throw new Error(`${name}: ${response.status} ${text}`)
  return { ms, answeredBy: response.headers.get('tidemark-answered-by') ?? '' }
}
