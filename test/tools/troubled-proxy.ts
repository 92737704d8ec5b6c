import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface TroubledProxy {
  readonly url: string
  /** For each request the status of the service's response, or the replacement for it. */
  readonly seen: readonly string[]
  close(): Promise<void>
}

/** A proxy that answers the first write itself with a 503, and drops the response to the second, which the service has accepted. */
export async function troubledProxy(target: string): Promise<TroubledProxy> {
  const seen: string[] = []
  const server = createServer((asked, answer) => {
    const place = seen.length
    if (place === 0) {
      seen.push('503')
      asked.resume()
      answer.writeHead(503, { 'retry-after': '1', 'content-type': 'application/json' })
      answer.end('{"code":"unavailable","message":"Try again."}')
      return
    }
    seen.push('')
    const { url, method, headers } = asked
    const passed = request(new URL(url ?? '/', target), { method, headers }, (came) => {
      seen[place] = place === 1 ? `${came.statusCode} lost` : `${came.statusCode}`
      if (place === 1) {
        answer.socket?.destroy()
        came.resume()
        return
      }
      answer.writeHead(came.statusCode ?? 500, came.headers)
      came.pipe(answer)
    })
    asked.pipe(passed)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
