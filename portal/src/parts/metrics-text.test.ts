import { expect, test } from 'vitest'
import { metricsOf, total } from './metrics-text.ts'

const text = `# HELP tidemark_http_requests_total Requests answered.
# TYPE tidemark_http_requests_total counter
tidemark_http_requests_total{route="/a \\"b\\"",status="200"} 5
tidemark_http_requests_total{route="/c",status="503"} 2
tidemark_disk_free_bytes 1.5e+10
tidemark_nothing NaN
`

test('metrics are found by name, with their labels', () => {
  const metrics = metricsOf(text)
  expect(metrics.get('tidemark_http_requests_total')).toEqual([
    { labels: { route: '/a "b"', status: '200' }, value: 5 },
    { labels: { route: '/c', status: '503' }, value: 2 },
  ])
  expect(total(metrics, 'tidemark_http_requests_total')).toBe(7)
  expect(total(metrics, 'tidemark_disk_free_bytes')).toBe(1.5e10)
  expect(total(metrics, 'tidemark_missing')).toBeNull()
})
