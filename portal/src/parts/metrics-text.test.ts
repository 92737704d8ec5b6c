import { expect, test } from 'vitest'
import { metricsOf } from './metrics-text.ts'

const text = `# HELP tidemark_http_requests_total Requests answered.
# TYPE tidemark_http_requests_total counter
tidemark_http_requests_total{route="/a \\"b\\"",status="200"} 5
tidemark_http_requests_total{route="/c",status="503"} 2
tidemark_disk_free_bytes 1.5e+10
tidemark_nothing NaN
`

test('parses metrics by name, with their labels', () => {
  const metrics = metricsOf(text)
  expect(metrics.get('tidemark_http_requests_total')).toEqual([
    { labels: { route: '/a "b"', status: '200' }, value: 5 },
    { labels: { route: '/c', status: '503' }, value: 2 },
  ])
  expect(metrics.get('tidemark_disk_free_bytes')).toEqual([{ labels: {}, value: 1.5e10 }])
})
