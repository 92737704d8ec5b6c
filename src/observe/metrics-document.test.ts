import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { Metrics } from './metrics.ts'

const path = new URL('../../docs/metrics.md', import.meta.url)
const tableForm = /\| Metric \|.*\|\n/s

function table({ described }: Metrics): string {
  const lines = described.map(({ name, type, labels, help }) => {
    return `| \`${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(', ')} | ${help} |\n`
  })
  return `| Metric | Type | Labels | Meaning |\n|---|---|---|---|\n${lines.join('')}`
}

/** `UPDATE_DOCS=1` rewrites the table. */
test('docs/metrics.md contains the current table of metrics', () => {
  const document = readFileSync(path, 'utf8')
  const expected = table(new Metrics({ processMetrics: false }))
  if (process.env['UPDATE_DOCS'] === '1') {
    writeFileSync(
      path,
      document.replace(tableForm, () => expected),
    )
    return
  }
  expect(tableForm.exec(document)?.[0]).toBe(expected)
})

test('exports exactly the metrics that are described', async () => {
  const metrics = new Metrics({ processMetrics: false })
  const exported = [...(await metrics.text()).matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name, type])
  expect(exported).toEqual(metrics.described.map(({ name, type }) => [name, type]))
})
