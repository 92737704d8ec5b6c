// Panels of dashboards in Druid's native language and in SQL: answered by the store, beside the same questions through the SQL engine, and put to
// Druid itself, by turns.
import { withPlantInDruid } from './druid-plant.ts'
import { median, printTable, spread } from './figures.ts'
import { nativePanels, type Panel, sqlPanels } from './panel-questions.ts'
import { measurePlantsAtRest } from './plant-at-rest.ts'
import { pointsOfTag } from './questions.ts'

interface PanelsBenchOptions {
  readonly runs: number
  /** Sizes of the data sets, in rows. */
  readonly sizes: readonly number[]
  /** Whether a Druid that runs is asked the same. */
  readonly besideDruid: boolean
}

/** How long each question is asked in a run, by turns. */
const forMs = 1500
const timesMin = 3

/** The store answers no longer query than this, so one that is padded goes to the SQL engine. */
const padding = ' '.repeat(16 * 1024)

const druidName = 'Druid'

/** Who is asked, and how. */
interface Side {
  readonly name: string
  readonly url: string
  /** Space in the request that says nothing. */
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

async function measure(tags: number, runs: number, sides: readonly Side[]): Promise<void> {
  const lines: string[][] = []
  for (const panel of [...nativePanels(tags), ...sqlPanels(tags)]) {
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

/** Medians of each side, and of the first one's to those of the others, run by run. */
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

/** Null where Druid does not take the query: it has some functions as extensions, which are not loaded. */
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
