// deploy/grafana without a Grafana: its queries name metrics and labels that exist, and Prometheus can parse them.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { inScratchFolder } from '../support/scratch-folder.ts'
import { knownSeries, unknownIn } from './known-metrics.ts'
import { hasPromtool, promtoolFault } from './promtool.ts'

interface Panel {
  readonly id: number
  readonly type: string
  readonly title: string
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[]
}
interface Dashboard {
  readonly panels: readonly Panel[]
  readonly templating: {
    readonly list: readonly { readonly name: string; readonly query: { query: string } | string }[]
  }
}

const dashboard = JSON.parse(readFileSync('deploy/grafana/tidemark.json', 'utf8')) as Dashboard
const { panels, templating } = dashboard
const targets = panels.flatMap((panel) => panel.targets ?? [])

/** Replaces variables as Grafana does. */
function filledIn(expression: string): string {
  return expression.replaceAll('$__rate_interval', '5m').replaceAll(/\$\w+/g, '.*')
}

test('panels use existing metrics and labels, and cover every per-ingest metric', async () => {
  const known = await knownSeries()
  expect(targets.length).toBeGreaterThan(30)
  expect(targets.flatMap(({ expr }) => unknownIn(filledIn(expr), known))).toEqual([])
  const asked = targets.map(({ expr }) => expr).join('\n')
  const ofIngests = [...known].filter(([, labels]) => labels.has('ingest')).map(([name]) => name)
  expect(ofIngests.filter((name) => !asked.includes(`${name}{`))).toEqual([])
})

test('legends use labels of their query, and every used variable is defined', async () => {
  for (const { expr, legendFormat } of targets) {
    for (const [, label] of legendFormat.matchAll(/\{\{(\w+)\}\}/g)) {
      const grouped = /\bby \(([^)]*)\)/.exec(expr)?.[1]
      const kept = grouped === undefined ? label === 'instance' : grouped.split(', ').includes(label!)
      expect([expr, label, kept]).toEqual([expr, label, true])
    }
  }
  const variables = new Set(templating.list.map(({ name }) => name))
  const used = JSON.stringify(panels).matchAll(/\$\{?(\w+)/g)
  expect(
    [...used].map(([, name]) => name!).filter((name) => name !== '__rate_interval' && !variables.has(name)),
  ).toEqual([])
  const known = await knownSeries()
  for (const { query } of templating.list.filter(({ name }) => name !== 'datasource')) {
    const [, metric, label] = /^label_values\((\w+), (\w+)\)$/.exec((query as { query: string }).query)!
    expect(known.get(metric!)?.has(label!)).toBe(true)
  }
})

test('panels do not overlap, and have unique ids', () => {
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
  const taken = new Set<string>()
  for (const { gridPos } of panels) {
    expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24)
    for (let { x } = gridPos; x < gridPos.x + gridPos.w; x += 1) {
      for (let { y } = gridPos; y < gridPos.y + gridPos.h; y += 1) {
        expect(taken.has(`${x} ${y}`)).toBe(false)
        taken.add(`${x} ${y}`)
      }
    }
  }
})

test.runIf(hasPromtool)('Prometheus can parse each query', async () => {
  const rules = targets.map(({ expr }, index) => ({ record: `panel:${index}`, expr: filledIn(expr) }))
  await inScratchFolder('tidemark-dashboard-', async (folder) => {
    const file = join(folder, 'rules.json')
    writeFileSync(file, JSON.stringify({ groups: [{ name: 'panels', rules }] }))
    expect(promtoolFault('check', 'rules', file)).toBeNull()
  })
})
