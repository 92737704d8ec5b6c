// Typical writes with @influxdata/influxdb-client to a Tidemark.
//   node influxdb-client-writes.mjs <the package's path> <url> <key> <bucket>
import { createRequire } from 'node:module'
import { setTimeout } from 'node:timers/promises'

const [path, url, token, bucket] = process.argv.slice(2)
const { InfluxDB, Point } = createRequire(import.meta.url)(path)

let written = 0
const api = new InfluxDB({ url, token }).getWriteApi('any', bucket, 's', {
  batchSize: 100,
  minRetryDelay: 100,
  maxRetryDelay: 500,
  // Larger bodies are sent as gzip.
  gzipThreshold: 1000,
  writeSuccess: (lines) => {
    written += lines.length
  },
})
const start = 1767225600
for (let index = 0; index < 1000; index++) {
  const point = new Point('m')
    .tag('host', 'batched')
    .floatField('d', index)
    .timestamp(start + index)
  api.writePoint(index === 0 ? point.intField('i', 7).booleanField('on', true).stringField('note', 'a "b" \\') : point)
}
// `close` drops writes that still wait for a retry.
while (written < 1000) await setTimeout(50)
await api.close()
